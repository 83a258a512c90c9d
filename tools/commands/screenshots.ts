import { join } from 'node:path'
import { command } from '../../cli/command.ts'
import { PACKAGE_ROOT } from '../package-root.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

export default command({
  description: 'Take the pictures of docs/images from the running product (repository only)',
  examples: [{ line: 'screenshots', text: 'about two minutes; needs Chromium' }],
  args: {
    folder: {
      type: 'string',
      description: 'Where the pictures go',
      valueHint: 'DIR',
      default: join(PACKAGE_ROOT, 'docs/images'),
    },
  },
  async run({ folder }) {
    const { chromium } = await import('playwright-core')
    const { dashboardPictures } = await import('../screenshots/dashboard.ts')
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    })
    try {
      const files = await dashboardPictures(browser, folder)
      return { text: files.map((file) => `wrote ${file}`).join('\n'), json: { files } }
    } finally {
      await browser.close()
    }
  },
})
