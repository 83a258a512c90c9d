import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PACKAGE_ROOT } from './package-root.ts'
import { requirePackage } from './packages.ts'

/** `node tools/build-dashboard.ts`: the operator's page as one text, which the Worker serves. */

const SOURCES = join(PACKAGE_ROOT, 'dashboard')
const TARGET = join(PACKAGE_ROOT, 'src/admin/dashboard-page.generated.ts')

interface DashboardPage {
  readonly html: string
  /** Only this script and these styles may run, and only this host may be asked. */
  readonly contentSecurityPolicy: string
}

function dashboardPage(): DashboardPage {
  const { buildSync } = requirePackage<typeof import('esbuild')>('esbuild')
  const { outputFiles } = buildSync({
    entryPoints: [join(SOURCES, 'main.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2023',
    charset: 'utf8',
  })
  // `</script>` inside a text of the script would end it.
  const script = outputFiles[0]!.text.trim().replaceAll('</script', '<\\/script')
  const uPlot = readFileSync(join(PACKAGE_ROOT, 'node_modules/uplot/dist/uPlot.min.css'), 'utf8')
  const style = minifiedStyle(uPlot + readFileSync(join(SOURCES, 'style.css'), 'utf8'))
  const html = readFileSync(join(SOURCES, 'index.html'), 'utf8')
    .replace('/*STYLE*/', () => style)
    .replace('/*SCRIPT*/', () => script)
  return {
    html,
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src '${hashOf(script)}'`,
      `style-src '${hashOf(style)}'`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}

function minifiedStyle(css: string): string {
  const { transformSync } = requirePackage<typeof import('esbuild')>('esbuild')
  return transformSync(css, { loader: 'css', minify: true, charset: 'utf8' }).code.trim()
}

const hashOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`

/** Writes the page if it changed. An installed package brings it, and has no sources to build it from. */
export function buildDashboard(): void {
  if (!existsSync(SOURCES)) return
  const { html, contentSecurityPolicy } = dashboardPage()
  const text = [
    '// Made by tools/build-dashboard.ts from the folder dashboard.',
    `export const DASHBOARD_HTML: string = ${JSON.stringify(html)}`,
    `export const DASHBOARD_POLICY: string = ${JSON.stringify(contentSecurityPolicy)}`,
    '',
  ].join('\n')
  if (existsSync(TARGET) && readFileSync(TARGET, 'utf8') === text) return
  writeFileSync(TARGET, text)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) buildDashboard()
