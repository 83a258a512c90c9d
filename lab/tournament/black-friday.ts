/**
 * A rate trace as a user would provide it: seconds and requests per second of a sale, shortened to
 * eight minutes.
 */
export const BLACK_FRIDAY = `seconds,rate
0,90
20,110
40,150
50,240
60,420
70,560
80,610
90,540
100,470
110,430
120,390
140,410
160,360
180,430
200,510
220,640
240,720
260,690
280,610
300,540
320,470
340,400
360,330
380,270
400,230
420,190
440,160
460,140
`
