import type { RequestMatch } from '../config.ts'
import { DEFAULT_CLASS, DEFAULTS } from '../defaults.ts'
import type { Fault, Path } from '../errors/problem.ts'
import { found, quote } from '../errors/wording.ts'
import { pathsMeet } from '../schema/patterns.ts'
import { matchCovers, takesEverything } from './coverage.ts'
import type { ClassDraft, RouteDraft } from './draft.ts'

/** Classes have names of their own, and each can take something; so can the route behind its bypass. */
export function checkClasses({ path, match, classes, bypass }: RouteDraft): Fault[] {
  const routePath = match?.path ?? DEFAULTS.match.path
  const at = (i: number): Path => [...path, 'classes', i]
  return [
    ...classes.flatMap((one, i) => [
      ...sameName(classes, one, i, at(i)),
      ...hidden(classes, one, i, at(i), routePath),
      ...outside(one.match, [...at(i), 'match'], routePath),
    ]),
    ...restName(classes, routePath, at),
    ...bypass.flatMap((one, i) => [
      ...bypassAll(one, [...path, 'bypass', i], routePath),
      ...outside(one, [...path, 'bypass', i], routePath),
    ]),
  ]
}

function sameName(classes: readonly ClassDraft[], one: ClassDraft, i: number, path: Path): Fault[] {
  const first = classes.findIndex(({ name }) => name !== undefined && name === one.name)
  if (first < 0 || first === i) return []
  return [
    {
      path: [...path, 'name'],
      expected: 'a name of its own',
      found: `${found(one.name)}, which is the name of classes[${first}] too`,
      remedy: 'Write another name.',
    },
  ]
}

function hidden(
  classes: readonly ClassDraft[],
  { match }: ClassDraft,
  i: number,
  path: Path,
  routePath: string,
): Fault[] {
  if (match === undefined) return []
  const by = classes.findIndex(
    (other, j) => j < i && other.match !== undefined && matchCovers(other.match, match, routePath),
  )
  if (by < 0) return []
  return [
    {
      path: [...path, 'match'],
      expected: 'requests that no earlier class takes',
      found: `only ones that classes[${by}] (${quote(classes[by]!.name ?? '?')}) takes`,
      remedy: `Write this class before classes[${by}], or leave it out.`,
    },
  ]
}

/** The class for the rest is added under this name when no class takes everything. */
function restName(
  classes: readonly ClassDraft[],
  routePath: string,
  at: (i: number) => Path,
): Fault[] {
  const named = classes.findIndex(({ name }) => name === DEFAULT_CLASS)
  if (named < 0 || classes.some(({ match }) => !match || takesEverything(match, routePath)))
    return []
  return [
    {
      path: [...at(named), 'name'],
      expected: `another name, because "${DEFAULT_CLASS}" is the class for all that no other takes`,
      found: found(DEFAULT_CLASS),
      remedy: 'Write another name, or leave out its match and put it last.',
    },
  ]
}

function outside(match: RequestMatch | undefined, path: Path, routePath: string): Fault[] {
  return (match?.path ?? [])
    .filter((pattern) => !pathsMeet(pattern, routePath))
    .map((pattern) => ({
      path: [...path, 'path'],
      expected: `paths within the route's ${quote(routePath)}`,
      found: found(pattern),
      remedy: `Write the whole path, for example ${quote(example(routePath))}, or leave it out.`,
    }))
}

const example = (routePath: string): string => routePath.replace(/\*$/, 'checkout/*')

function bypassAll(match: RequestMatch | undefined, path: Path, routePath: string): Fault[] {
  if (match === undefined || !takesEverything(match, routePath)) return []
  return [
    {
      path,
      expected: 'conditions that leave something to decide',
      found: 'ones that every request of the route meets',
      remedy: 'Write mode: "off" to let everything through, or leave it out.',
    },
  ]
}
