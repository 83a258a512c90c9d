import { defineCommand } from 'citty'

export const report = defineCommand({
  meta: { name: 'report', description: 'Write one HTML page with all figures and tables.' },
  run() {},
})
