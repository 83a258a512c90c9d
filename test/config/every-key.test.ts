import { describe, it } from 'vitest'
import { defineConfig } from '../../src/config/user-config.ts'
import { resolved } from '../support/config.ts'

const full = defineConfig({
  clientIp: { header: 'X-Real-IP' },
  routes: [
    {
      name: 'shop',
      match: 'Shop.Example.com/shop/*',
      origin: {
        servers: [
          { url: 'https://b.example.com/' },
          { url: 'HTTPS://a.example.com:443', weight: 2 },
        ],
        timeoutMs: 10_000,
        keepHeaders: ['Forwarded'],
        purge: true,
        balance: 'least-loaded',
        affinity: true,
        slowStartMs: 0,
        healthCheck: { path: '/healthz' },
      },
      sla: {
        percentile: 90,
        windowMs: 60_000,
        table: [
          { fromRate: 0, targetMs: 1000 },
          { fromRate: 1000, targetMs: 2000 },
        ],
      },
      classes: [
        {
          name: 'buyers',
          value: 10,
          guaranteed: 5,
          tier: 'database',
          match: { path: '/shop/checkout/*', method: ['POST', 'PUT'] },
        },
        {
          name: 'members',
          value: 3,
          match: {
            header: { 'X-Plan': ['gold*', 'silver'], Accept: true },
            cookie: { member: true },
            query: { ref: 'mail' },
            country: ['de', 'T1'],
            asn: 13335,
            ip: ['10.0.0.0/8', '2001:db8::/32'],
          },
        },
        { name: 'rest' },
      ],
      granularity: 'request',
      session: {
        idleMs: 60_000,
        maxAgeMs: 3_600_000,
        cookie: 'gate',
        sameSite: 'none',
        keepObserved: true,
        maxRate: 50,
        maxRangeRate: 500,
      },
      learner: { name: 'fixed', limit: 12 },
      tickMs: 500,
      mode: 'observe',
      startup: 'admit',
      failure: 'open',
      whenFull: ['degrade', 'redirect', 'queue'],
      waitingRoom: {
        order: 'random',
        keepPlaceMs: 60_000,
        status: 202,
        page: '<p>{{place}} {{wait}}</p>',
        texts: { en: { title: 'Wait' } },
        events: [{ name: 'sale', opens: '2026-11-27T10:00', zone: 'Europe/Berlin' }],
        cfWaitingRoom: true,
      },
      degrade: {
        quality: { min: 0.4, switches: ['reviews', 'images'] },
        stored: { maxAgeMs: 60_000 },
        lighter: { origin: 'https://lite.example.com/', path: '/lite/*' },
      },
      redirect: { to: 'https://eu.example.com/', forward: true },
      refusal: {
        status: 429,
        page: '<h1>Busy</h1>',
        soldOutPage: '<h1>Gone</h1>',
        allowOrigins: ['https://app.example.com'],
        retryMinS: 1,
        retryMaxS: 2,
      },
      bypass: [{ path: '/shop/healthz' }],
      capacity: {
        tiers: [
          { name: 'web', workers: 4, concurrency: { limit: 256, of: 'sessions' } },
          { name: 'db', metric: 'sql', max: 1, part: 0.4, serviceMs: 12 },
        ],
        startupS: 30,
        predict: { percentile: 99, correctionHours: 2 },
        react: {
          everyS: 60,
          above: 1.5,
          refused: 0.1,
          below: 0.3,
          step: 0.1,
          maxStep: 2,
          pauseS: 90,
        },
        webhook: 'https://scaler.example.com/capacity',
        group: { name: 'all', servers: 11 },
      },
      verdictHeader: true,
      serverTiming: true,
      order: 'density',
      police: 'auto',
      smallFirst: true,
      fairness: { by: { header: 'X-Api-Key' }, maxShare: 0.1, minAdmissions: 2 },
      upload: { minBytesPerS: 1000, maxMs: 60_000, maxOpen: 10 },
    },
  ],
})

describe('a route with every key', () => {
  it('is resolved: single values become lists, true becomes "*", hosts, headers and countries get one case', ({
    expect,
  }) => {
    expect(resolved(full).clientIp).toEqual({ header: 'X-Real-IP' })
    expect(resolved(full).routes[0]).toEqual({
      name: 'shop',
      match: { host: 'shop.example.com', path: '/shop/*' },
      origin: {
        name: 'https://a.example.com,https://b.example.com',
        servers: [
          { url: 'https://b.example.com', weight: 1 },
          { url: 'https://a.example.com', weight: 2 },
        ],
        timeoutMs: 10_000,
        keepHeaders: ['Forwarded'],
        purge: true,
        balance: 'least-loaded',
        affinity: true,
        slowStartMs: 0,
        healthCheck: { path: '/healthz', everyMs: 10_000 },
      },
      sla: {
        percentile: 90,
        targets: [
          { fromRate: 0, targetMs: 1000 },
          { fromRate: 1000, targetMs: 2000 },
        ],
        windowMs: 60_000,
      },
      classes: [
        {
          name: 'buyers',
          value: 10,
          guaranteed: 5,
          tier: 'database',
          match: { path: ['/shop/checkout/*'], method: ['POST', 'PUT'] },
        },
        {
          name: 'members',
          value: 3,
          guaranteed: 0,
          tier: 'default',
          match: {
            header: { 'x-plan': ['gold*', 'silver'], accept: ['*'] },
            cookie: { member: ['*'] },
            query: { ref: ['mail'] },
            country: ['DE', 'T1'],
            asn: [13335],
            ip: ['10.0.0.0/8', '2001:db8::/32'],
          },
        },
        { name: 'rest', value: 1, guaranteed: 0, tier: 'default', match: {} },
      ],
      granularity: 'request',
      session: {
        idleMs: 60_000,
        maxAgeMs: 3_600_000,
        cookie: 'gate',
        sameSite: 'none',
        keepObserved: true,
        maxRate: 50,
        maxRangeRate: 500,
      },
      learner: { name: 'fixed', options: { limit: 12 } },
      tickMs: 500,
      mode: 'observe',
      startup: 'admit',
      failure: 'open',
      whenFull: ['degrade', 'redirect', 'queue'],
      waitingRoom: {
        order: 'random',
        keepPlaceMs: 60_000,
        status: 202,
        page: '<p>{{place}} {{wait}}</p>',
        texts: { en: { title: 'Wait' } },
        events: [
          {
            ...{ name: 'sale', preQueueMs: 900_000, opensMs: Date.UTC(2026, 10, 27, 9) },
            ...{ closesMs: null, reopensMs: null },
          },
        ],
        cfWaitingRoom: true,
        turnstile: null,
      },
      degrade: {
        quality: { min: 0.4, steps: 2, switches: ['reviews', 'images'] },
        stored: { maxAgeMs: 60_000 },
        lighter: { origin: 'https://lite.example.com', path: '/lite/*' },
      },
      redirect: { to: 'https://eu.example.com', forward: true },
      refusal: {
        status: 429,
        page: '<h1>Busy</h1>',
        soldOutPage: '<h1>Gone</h1>',
        allowOrigins: ['https://app.example.com'],
        retryMinS: 1,
        retryMaxS: 2,
      },
      bypass: [{ path: ['/shop/healthz'] }],
      capacity: {
        tiers: [
          {
            name: 'web',
            metric: 'web',
            servers: 2,
            min: 1,
            max: 1000,
            part: null,
            workers: 4,
            serviceMs: null,
            concurrency: { limit: 256, of: 'sessions' },
          },
          {
            name: 'db',
            metric: 'sql',
            servers: 1,
            min: 1,
            max: 1,
            part: 0.4,
            workers: 1,
            serviceMs: 12,
            concurrency: null,
          },
        ],
        startupS: 30,
        predict: { percentile: 99, correctionHours: 2 },
        react: {
          everyS: 60,
          above: 1.5,
          refused: 0.1,
          below: 0.3,
          step: 0.1,
          maxStep: 2,
          pauseS: 90,
        },
        webhook: 'https://scaler.example.com/capacity',
        group: {
          name: 'all',
          servers: 11,
          origins: ['https://a.example.com,https://b.example.com'],
        },
      },
      verdictHeader: true,
      serverTiming: true,
      order: 'density',
      police: 'auto',
      smallFirst: true,
      fairness: { by: { header: 'X-Api-Key' }, maxShare: 0.1, minAdmissions: 2 },
      upload: { minBytesPerS: 1000, maxMs: 60_000, maxOpen: 10 },
    })
  })

  it('gives the same result from JSON', ({ expect }) => {
    expect(resolved(JSON.parse(JSON.stringify(full)))).toEqual(resolved(full))
  })

  it('is not changed', ({ expect }) => {
    const before = JSON.stringify(full)
    resolved(full)
    expect(JSON.stringify(full)).toBe(before)
  })
})
