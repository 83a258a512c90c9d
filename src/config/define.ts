/// <reference path="../text-files.d.ts" />
import type { TidegateConfig } from './user-config.ts'

/**
 * Gives a configuration its type, for the editor; it is checked when Tidegate starts.
 *
 * @example
 * export default defineConfig({ routes: [{ match: '/*', origin: 'https://origin.example.com' }] })
 */
export function defineConfig(config: TidegateConfig): TidegateConfig {
  return config
}
