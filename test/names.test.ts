import { describe, it } from 'vitest'
import { parseSourceFile, readSourceFiles } from './support/source-files.ts'

describe('the names of exported types', () => {
  it('are declared once in src and durable-objects', ({ expect }) => {
    const declaredIn = new Map<string, string[]>()
    for (const { path, exportedTypes } of readSourceFiles(['src', 'durable-objects']))
      for (const name of new Set(exportedTypes))
        declaredIn.set(name, [...(declaredIn.get(name) ?? []), path])
    expect(declaredIn.size).toBeGreaterThan(100)
    const twice = [...declaredIn].filter(([, paths]) => paths.length > 1)
    expect(twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([])
  })

  it('are found in every form of export', ({ expect }) => {
    const { exportedTypes } = parseSourceFile(
      'src/lib/example.ts',
      `export interface A { b: number }
       export type B = A
       export abstract class C {}
       interface D {}
       type E = D
       class F {}
       export type { D, E }
       export default class G {}
       export type { Other } from './other.ts'
       export const H = F`,
    )
    expect(exportedTypes).toEqual(['A', 'B', 'C', 'D', 'E', 'G'])
  })
})
