import { describe, it } from 'vitest'
import { plantR, plantS } from '../../../lab/gate/plants.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import { PEERS } from '../../../lab/peers/index.ts'
import { type LoadTest, MOST_SETTINGS, type PeerSetting, peerOf } from '../../../lab/peers/peer.ts'

const ON_SESSIONS: LoadTest = { saturationRate: 2.05, sessionMs: 140_000 }
const ON_REQUESTS: LoadTest = { saturationRate: 200, sessionMs: 0 }

const runS = (setting: PeerSetting, seconds: number) =>
  runPlant({ plant: plantS(), seed: 1, seconds, policy: setting.policy(ON_SESSIONS) })
const runR = (setting: PeerSetting, seconds: number) =>
  runPlant({ plant: plantR(), seed: 1, seconds, policy: setting.policy(ON_REQUESTS) })

describe('the registry of peers', () => {
  it('has every rival of the tournament under its own name', ({ expect }) => {
    expect(Object.keys(PEERS)).toEqual([
      'none',
      'token-bucket',
      'waiting-room',
      'envoy-gradient',
      'envoy-admission',
      'netflix-gradient2',
      'netflix-vegas',
      'netflix-aimd',
      'sre-throttling',
      'kratos-bbr',
      'failsafe-limiter',
    ])
    for (const [name, peer] of Object.entries(PEERS)) expect(peer.name).toBe(name)
  })

  it('tries at most six settings of each, including its defaults', ({ expect }) => {
    for (const { settings, defaults } of Object.values(PEERS)) {
      expect(settings.length).toBeLessThanOrEqual(MOST_SETTINGS)
      expect(settings[0]).toBe(defaults)
      expect(new Set(settings.map(({ label }) => label)).size).toBe(settings.length)
    }
    const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((label) => [label, {}]))
    const create = () => () => ({ admits: () => true })
    expect(() => peerOf('many', create, { ...many, defaults: {} })).toThrow('more than six')
  })
})

describe('every setting of every peer', () => {
  for (const { name, settings } of Object.values(PEERS)) {
    it(`${name} serves requests, and never more than it admitted`, ({ expect }) => {
      for (const setting of settings) {
        for (const result of [runS(setting, 60), runR(setting, 10)]) {
          expect(result.served).toBeGreaterThan(20)
          expect(result.offered).toBeGreaterThan(result.refused)
        }
      }
    })

    it(`${name} gives the same result for the same seed`, ({ expect }) => {
      for (const run of [runS, runR]) {
        const [first, second] = [run(settings[0]!, 30), run(settings[0]!, 30)]
        expect(second.trace).toEqual(first.trace)
      }
    })
  }
})

describe('rivals with and without sessions', () => {
  const broken = (name: string, label = 'defaults') => {
    const setting = PEERS[name]!.settings.find((one) => one.label === label)!
    return runS(setting, 600).sessions.broken
  }

  it('limits on new sessions break no session off', ({ expect }) => {
    expect(broken('none') + broken('token-bucket') + broken('waiting-room')).toBe(0)
  })

  it('limits on requests break sessions off', ({ expect }) => {
    expect(broken('envoy-gradient')).toBeGreaterThan(100)
    expect(broken('netflix-vegas')).toBeGreaterThan(100)
    expect(broken('sre-throttling', 'K 1.1')).toBeGreaterThan(100)
  })
})
