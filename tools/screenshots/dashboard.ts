import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { startDemoOrigin } from '../demo-origin.ts'
import { runFlood } from '../flood/run.ts'
import { startLocalGate } from '../local-gate.ts'

/** A flash crowd of this length; the pictures are taken before its end. */
const FLOOD_S = 75
const PICTURE_S = 62

/** Pictures of the dashboard while a real crowd floods the demo shop through a real gate. */
export async function dashboardPictures(browser: Browser, folder: string): Promise<string[]> {
  const origin = await startDemoOrigin({ port: 0 })
  const gate = await startLocalGate({
    config: {
      routes: [
        {
          ...{ name: 'shop', match: '/*', origin: origin.url },
          sla: { percentile: 95, targetMs: 800 },
          classes: [
            { name: 'buyers', value: 10, match: { path: ['/cart', '/checkout'] } },
            { name: 'searchers', value: 3, match: { path: '/search' } },
            { name: 'visitors', value: 1 },
          ],
        },
      ],
    },
    port: 0,
    log: () => {},
  })
  const ending = new AbortController()
  const flood = runFlood(
    {
      ...{ name: 'gate', target: gate.url, capacityPerSecond: origin.capacityPerSecond },
      ...{ surge: 10, seconds: FLOOD_S, slaMs: 800, thinkMs: 1000, patienceMs: 3000, seed: 1 },
      ...{ retry: false, mostSockets: 2000 },
    },
    () => {},
    ending.signal,
  )
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
    await page.goto(`${gate.url}/_tidegate/#token=${gate.adminToken}`)
    await page.locator('.sentence').waitFor()
    await page.waitForTimeout(PICTURE_S * 1000)
    const files: string[] = []
    for (const [size, width, height] of [
      ['desk', 1280, 1000],
      ['phone', 390, 844],
    ] as const)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height })
        await page.emulateMedia({ colorScheme })
        // Charts follow the new size with the next frame.
        await page.waitForTimeout(1200)
        const path = join(folder, `dashboard-${size}-${colorScheme}.png`)
        await page.screenshot({ path })
        files.push(path)
      }
    return files
  } finally {
    ending.abort()
    await flood.catch(() => {})
    await gate.close()
    await origin.close()
  }
}
