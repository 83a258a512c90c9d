import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

interface Panel {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly datasource: { readonly uid: string }
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly targets: readonly { readonly refId: string; readonly expr: string }[]
}

/** A variable of Grafana. */
const DATA_SOURCE = ['$', '{datasource}'].join('')

const { panels } = JSON.parse(GRAFANA) as { panels: readonly Panel[] }

/** As Grafana sends it to Prometheus. */
const queryOf = (expr: string): string =>
  expr.replaceAll('$route', '.*').replaceAll('$__rate_interval', '1m')

/** Runs promtool on a file with this content. JSON is YAML, too. */
function promtool(command: readonly string[], content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-promtool-'))
  try {
    writeFileSync(join(folder, 'rules.yml'), ALERTS)
    writeFileSync(join(folder, 'given.yml'), JSON.stringify(content))
    const { status, stdout, stderr } = spawnSync('promtool', [...command, 'given.yml'], {
      cwd: folder,
      encoding: 'utf8',
    })
    return `${status} ${stdout}${stderr}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the files for Prometheus and Grafana', () => {
  it('use only metrics that there are', ({ expect }) => {
    for (const text of [ALERTS, GRAFANA])
      expect([...metricsIn(text)].filter((name) => !KNOWN.has(name))).toEqual([])
  })

  it('pass promtool', { skip: !hasProgram('promtool') }, ({ expect }) => {
    const path = new URL('../../monitoring/alerts.yml', import.meta.url).pathname
    const said = execFileSync('promtool', ['check', 'rules', path], { stdio: 'pipe' })
    expect(said.toString()).toContain('SUCCESS: 9 rules found')
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => queryOf(expr)))
    const rules = expressions.map((expr, i) => ({ record: `panel:${i}`, expr }))
    expect(promtool(['check', 'rules'], { groups: [{ name: 'grafana', rules }] })).toContain(
      `SUCCESS: ${expressions.length} rules found`,
    )
  })

  it('have panels that Grafana can show: a type, a data source, a place of their own', ({
    expect,
  }) => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const places = new Set<string>()
    for (const { title, type, datasource, gridPos, targets } of panels) {
      expect([type, datasource.uid], title).toEqual(['timeseries', DATA_SOURCE])
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length)
      const { x, y, w, h } = gridPos
      expect(x + w, title).toBeLessThanOrEqual(24)
      for (let column = x; column < x + w; column++)
        for (let row = y; row < y + h; row++) {
          expect(places.has(`${column} ${row}`), title).toBe(false)
          places.add(`${column} ${row}`)
        }
    }
  })
})

/** A calm hour, a value a minute. */
const CALM: Readonly<Record<string, string>> = {
  'tidegate_requests_total{route="shop",class="a",verdict="admit",reason="share"}': '0+600x60',
  'tidegate_requests_total{route="shop",class="a",verdict="refuse",reason="share"}': '0+0x60',
  'tidegate_requests_total{route="shop",class="a",verdict="admit",reason="local"}': '0+0x60',
  'tidegate_offered_total{route="shop",class="a"}': '0+600x60',
  'tidegate_origin_requests_total{route="shop",class="a",outcome="served"}': '0+6000x60',
  'tidegate_origin_requests_total{route="shop",class="a",outcome="failed"}': '0+6x60',
  'tidegate_late_total{route="shop",class="a"}': '0+60x60',
  'tidegate_response_seconds_bucket{route="shop",class="a",le="0.512"}': '0+6000x60',
  'tidegate_response_seconds_bucket{route="shop",class="a",le="1.024"}': '0+6300x60',
  'tidegate_response_seconds_bucket{route="shop",class="a",le="+Inf"}': '0+6300x60',
  'tidegate_target_seconds{route="shop"}': '0.8+0x60',
  'tidegate_target_seconds{route="shop",class="search"}': '3+0x60',
  'tidegate_waiting{route="shop",class="a"}': '0+0x60',
  'tidegate_reports_total{origin="o",result="refused"}': '0+0x60',
  'tidegate_server_up{origin="o",server="s"}': '1+0x60',
  'tidegate_overcommitted{origin="o"}': '0+0x60',
  'tidegate_overrides{route="shop"}': '0+0x60',
}

const REFUSED = 'tidegate_requests_total{route="shop",class="a",verdict="refuse",reason="share"}'
const WAITING = 'tidegate_waiting{route="shop",class="a"}'
const FAST = {
  'tidegate_response_seconds_bucket{route="shop",class="a",le="0.128"}': '0+6300x60',
}

/** What is different from a calm hour, and which alerts come of it. */
const TROUBLES: readonly (readonly [series: object, alerts: readonly string[]])[] = [
  [{}, []],
  [{ 'tidegate_late_total{route="shop",class="a"}': '0+900x60' }, ['TidegateLate']],
  [
    { 'tidegate_origin_requests_total{route="shop",class="a",outcome="failed"}': '0+400x60' },
    ['TidegateOriginFails'],
  ],
  [{ [REFUSED]: '0+300x60' }, ['TidegateSurge']],
  [{ [WAITING]: '400+0x60' }, ['TidegateSurge']],
  [{ [REFUSED]: '0+300x60', ...FAST }, ['TidegateRefusesWithoutNeed', 'TidegateSurge']],
  [{ [WAITING]: '400+0x60', ...FAST }, ['TidegateRefusesWithoutNeed', 'TidegateSurge']],
  [
    { 'tidegate_requests_total{route="shop",class="a",verdict="admit",reason="local"}': '0+6x60' },
    ['TidegateNoCoordinator'],
  ],
  [{ 'tidegate_reports_total{origin="o",result="refused"}': '0+1x60' }, ['TidegateReportsRefused']],
  [{ 'tidegate_server_up{origin="o",server="s"}': '0+0x60' }, ['TidegateServerDown']],
  [{ 'tidegate_overcommitted{origin="o"}': '1+0x60' }, ['TidegateOvercommitted']],
]

describe('an alert', () => {
  it('is about the target of a route, and not about that of one of its classes', ({ expect }) => {
    const targets = [...ALERTS.matchAll(/tidegate_target_seconds(\{[^}]*\})?/g)]
    expect(targets.map(([, labels]) => labels)).toEqual(['{class=""}'])
  })

  it('comes with its trouble, and not without', { skip: !hasProgram('promtool') }, ({ expect }) => {
    const tests = TROUBLES.map(([series, alerts]) => ({
      interval: '1m',
      input_series: Object.entries({ ...CALM, ...series }).map(([name, values]) => ({
        series: name,
        values,
      })),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: '50m',
          exp_samples: alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
        },
      ],
    }))
    const said = promtool(['test', 'rules'], { rule_files: ['rules.yml'], tests })
    expect(said).toMatch(/^0 [\s\S]*SUCCESS/)
  })
})
