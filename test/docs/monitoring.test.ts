import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { FAMILIES } from '../../src/admin/metrics/families.ts'
import { hasProgram } from '../support/e2e/prometheus.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const PAGE = read('docs/monitoring.md')
const ALERTS = read('monitoring/alerts.yml')
const GRAFANA = read('monitoring/grafana.json')
const KNOWN = new Set(FAMILIES.map(({ name }) => name))

const metricsIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/\btidegate_[a-z_]+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  )

describe('docs/monitoring.md', () => {
  it('explains every metric, and no other', ({ expect }) => {
    const table = PAGE.slice(PAGE.indexOf('## Metrics'), PAGE.indexOf('## What to do'))
    expect(metricsIn(table)).toEqual(KNOWN)
  })

  it('says what to do about every alert, and the alerts link to it', ({ expect }) => {
    const alerts = [...ALERTS.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
    const links = [...ALERTS.matchAll(/docs\/monitoring\.md#(\w+)/g)].map(([, anchor]) => anchor)
    expect(links).toEqual(alerts.map((name) => name.toLowerCase()))
    expect([...PAGE.matchAll(/^### (\w+)/gm)].map(([, name]) => name)).toEqual(alerts)
  })
})

describe('the files for Prometheus and Grafana', () => {
  it('use only metrics that there are', ({ expect }) => {
    for (const text of [ALERTS, GRAFANA])
      expect([...metricsIn(text)].filter((name) => !KNOWN.has(name))).toEqual([])
    expect(JSON.parse(GRAFANA).panels.length).toBeGreaterThan(5)
  })

  it('pass promtool', { skip: !hasProgram('promtool') }, ({ expect }) => {
    const path = new URL('../../monitoring/alerts.yml', import.meta.url).pathname
    const said = execFileSync('promtool', ['check', 'rules', path], { stdio: 'pipe' })
    expect(said.toString()).toContain('SUCCESS: 9 rules found')
  })
})
