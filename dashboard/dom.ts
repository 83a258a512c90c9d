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

/**
 * Makes the children of an element equal to these, and changes only what differs: so the focus, a scroll position and a
 * click that has begun survive. An element whose listeners depend on its data has a `data-key`.
 */
export function renew(parent: Element, ...children: readonly Child[]): void {
  const next = document.createElement('div')
  append(next, children)
  renewChildren(parent, next)
}

function renewChildren(parent: Element, wanted: Element): void {
  const next = [...wanted.childNodes]
  for (const [i, node] of next.entries()) {
    const old = parent.childNodes[i]
    if (old === undefined) parent.append(node)
    else renewNode(old, node)
  }
  while (parent.childNodes.length > next.length) parent.lastChild!.remove()
}

function renewNode(old: ChildNode, next: ChildNode): void {
  if (old.isEqualNode(next)) return
  const isSame =
    old instanceof Element &&
    next instanceof Element &&
    old.tagName === next.tagName &&
    old.getAttribute('data-key') === next.getAttribute('data-key')
  if (!isSame) {
    old.replaceWith(next)
    return
  }
  for (const { name } of [...old.attributes])
    if (!next.hasAttribute(name)) old.removeAttribute(name)
  for (const { name, value } of next.attributes) old.setAttribute(name, value)
  renewChildren(old, next)
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
