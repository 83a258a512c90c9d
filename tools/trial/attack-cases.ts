import type { TrialCase } from './trial-case.ts'

/**
 * The attacks of the security review. The crowd is the same in all of them: half the capacity for 15 s, then twice the
 * capacity. The attack lasts from 45 s to 80 s.
 */

const FROM_S = 45
const TO_S = 80

/** 4 servers at 50 ms: 80 pages/s, as in the review. */
const WORLD = {
  seconds: 110,
  origin: { servers: 4, service: { law: 'exponential', meanMs: 50 } },
  targetMs: 1000,
  crowd: {
    load: [
      { fromS: 0, load: 0.5 },
      { fromS: 15, load: 2 },
    ],
    pages: 5,
    thinkMs: 1000,
    patienceMs: 5000,
  },
} as const satisfies Partial<TrialCase>

const during = { fromS: FROM_S, toS: TO_S } as const

export const ATTACKS: readonly TrialCase[] = [
  {
    ...WORLD,
    name: 'light-answers',
    text: '300/s of 404, 304, redirects, HEAD and tiny pages over 30 sessions and addresses',
    attack: { ...during, kind: 'light', perSecond: 300, sessions: 30 },
  },
  {
    ...WORLD,
    name: 'light-bursts',
    text: 'the same in bursts of 5 s every 12 s',
    attack: {
      ...during,
      kind: 'light',
      perSecond: 300,
      sessions: 30,
      burst: { lengthS: 5, everyS: 12 },
    },
  },
  {
    ...WORLD,
    name: 'slow-bodies',
    text: '20/s of small bodies that arrive a byte a second, over 10 sessions',
    attack: { ...during, kind: 'slow-bodies', perSecond: 20, sessions: 10 },
  },
  {
    ...WORLD,
    name: 'slow-uploads',
    text: 'one large upload a second that hardly moves, on a route that admits single requests',
    route: { granularity: 'request' },
    crowd: { ...WORLD.crowd, pages: 1, thinkMs: 0 },
    attack: { ...during, kind: 'slow-uploads', perSecond: 1, sessions: 0 },
  },
  {
    ...WORLD,
    name: 'leave-at-once',
    text: '20/s of clients that leave after 30 ms, over 10 sessions',
    attack: { ...during, kind: 'leave', perSecond: 20, sessions: 10 },
  },
  {
    ...WORLD,
    name: 'cut-bodies',
    text: '10/s of bodies that end early, over 10 sessions',
    attack: { ...during, kind: 'cut-bodies', perSecond: 10, sessions: 10 },
  },
  {
    ...WORLD,
    name: 'one-cookie',
    text: '60 real pages/s with one session cookie, from 30 addresses',
    attack: { ...during, kind: 'one-cookie', perSecond: 60, sessions: 1 },
  },
]
