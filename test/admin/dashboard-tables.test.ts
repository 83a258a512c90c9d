import { beforeEach, describe, it, vi } from 'vitest'
import type { ShownStatus } from '../../dashboard/api.ts'
import { classTable } from '../../dashboard/tables.ts'

/** Keeps its children, and nothing else. */
class FakeElement {
  readonly #children: (FakeElement | string)[] = []
  readonly tag: string

  constructor(tag: string) {
    this.tag = tag
  }

  setAttribute(): void {}

  append(child: FakeElement | string): void {
    this.#children.push(child)
  }

  get textContent(): string {
    return this.#children
      .map((child) => (typeof child === 'string' ? child : child.textContent))
      .join('')
  }

  all(tag: string): readonly FakeElement[] {
    const inside = this.#children.flatMap((child) =>
      typeof child === 'string' ? [] : child.all(tag),
    )
    return this.tag === tag ? [this, ...inside] : inside
  }
}

beforeEach(() => {
  vi.stubGlobal('document', { createElement: (tag: string) => new FakeElement(tag) })
})

describe('the classes on the dashboard', () => {
  it('have the target beside the 95th percentile where it is their own', ({ expect }) => {
    const figures = { offered: 10, admitted: 10, refused: 0 }
    const status = {
      lastMinute: {
        classes: { search: { ...figures, p95Ms: 1950 }, pages: { ...figures, p95Ms: 80 } },
      },
      plan: {
        targetMs: 500,
        classes: { search: { guaranteed: 0, targetMs: 3000 }, pages: { guaranteed: 0 } },
      },
    } as unknown as ShownStatus
    const shown = classTable(status) as unknown as FakeElement
    const cells = shown.all('tr').map((row) => row.all('td').at(-1)?.textContent)
    expect(cells).toEqual([undefined, '1950 ms (target 3000 ms)', '80 ms'])
  })
})
