import { steps } from '../clients/profiles.ts'
import { constantRate } from '../clients/rates.ts'
import { exponential } from '../engine/distributions.ts'
import type { WaitingCase } from './waiting-figure.ts'

export const WAITING_CASES: readonly WaitingCase[] = [
  {
    name: 'flash crowd',
    limit: 50,
    arrivals: steps({ 0: 20, 30: 250, 90: 20 }),
    onsetS: 30,
    seconds: 420,
    fromS: 50,
  },
  {
    name: '60 % leave, half are bots',
    limit: 50,
    arrivals: steps({ 0: 20, 30: 500, 90: 40 }),
    bots: 0.5,
    patience: exponential({ mean: 110_000 }),
    onsetS: 30,
    seconds: 300,
    fromS: 50,
  },
  {
    name: 'steady, twice the limit',
    limit: 50,
    arrivals: constantRate(100),
    seconds: 300,
    fromS: 30,
  },
  {
    name: 'small limit',
    limit: 2,
    arrivals: steps({ 0: 1, 30: 10, 90: 1 }),
    onsetS: 30,
    seconds: 500,
    fromS: 50,
  },
  {
    name: 'learned limit',
    limit: 20,
    learned: [],
    arrivals: steps({ 0: 8, 60: 80, 120: 10 }),
    onsetS: 60,
    fromS: 90,
    seconds: 480,
  },
  {
    name: 'learned, capacity halves',
    limit: 20,
    learned: [
      { atMs: 150_000, speed: 0.5 },
      { atMs: 300_000, speed: 1 },
    ],
    arrivals: steps({ 0: 8, 60: 80, 120: 8 }),
    onsetS: 60,
    fromS: 90,
    seconds: 600,
  },
]
