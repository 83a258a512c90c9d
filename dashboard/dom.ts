type Child = Node | string | null | false | undefined
type Attributes = Readonly<
  Record<string, string | number | boolean | null | ((event: Event) => void)>
>

/** Makes an element. `onclick` and the like take a function; `true` is an empty attribute, `null` and `false` none. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  append(element, children)
  return element
}

/** Replaces the children of an element. */
export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren()
  append(parent, children)
}

/** Sets a text only where it changed, so that a screen reader does not read it again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === false || child === undefined) continue
    parent.append(child)
  }
}
