import type { RequestMatch, RouteClass } from '../config.ts'
import { DEFAULT_CLASS } from '../defaults.ts'
import { type Fault, fault, type Path } from '../errors/problem.ts'
import { found, quote } from '../errors/wording.ts'
import { pathsMeet } from '../schema/patterns.ts'
import type { ParsedRoute } from '../schema/schema.ts'
import { matchCovers, takesEverything } from './coverage.ts'

/** Each class has its own name, and some request can match it. */
export function* checkClasses({ match, classes }: ParsedRoute): Iterable<Fault> {
  for (const [i, one] of classes.entries()) {
    yield* checkName(classes, one, i)
    yield* checkReachable(classes, one, i, match.path)
    yield* checkPaths(one.match, ['classes', i, 'match'], match.path)
  }
  yield* checkDefaultName(classes, match.path)
}

/** A bypass condition matches some of the route's requests, but not all. */
export function* checkBypass({ match, bypass }: ParsedRoute): Iterable<Fault> {
  for (const [i, one] of bypass.entries()) {
    if (one.pass)
      yield fault(
        ['bypass', i, 'pass'],
        'no condition on a pass, because a bypass is not counted and a pass is',
        found(true),
        'Give the pass "skip" instead: mintPass({ skip: true, … }).',
      )
    if (one.tier)
      yield fault(
        ['bypass', i, 'tier'],
        'no condition on a tier, because a bypass is not measured',
        found(one.tier.join(', ')),
        'Write a path instead.',
      )
    if (takesEverything(one, match.path))
      yield fault(
        ['bypass', i],
        'conditions that only some requests of the route meet',
        'conditions that all of them meet',
        'Write mode: "off" to let everything through, or leave it out.',
      )
    yield* checkPaths(one, ['bypass', i], match.path)
  }
}

function* checkName(
  classes: readonly RouteClass[],
  { name }: RouteClass,
  i: number,
): Iterable<Fault> {
  const first = classes.findIndex((other) => other.name === name)
  if (first === i) return
  const shown = `${found(name)}, which is the name of classes[${first}] too`
  yield fault(['classes', i, 'name'], 'a name of its own', shown, 'Write another name.')
}

function* checkReachable(
  classes: readonly RouteClass[],
  { match }: RouteClass,
  i: number,
  routePath: string,
): Iterable<Fault> {
  const by = classes.findIndex((other, j) => j < i && matchCovers(other.match, match, routePath))
  if (by < 0) return
  yield fault(
    ['classes', i, 'match'],
    'requests that no earlier class takes',
    `only ones that classes[${by}] (${quote(classes[by]!.name)}) takes`,
    `Write this class before classes[${by}], or leave it out.`,
  )
}

/** When no class matches everything, a class with this name is added. */
function* checkDefaultName(classes: readonly RouteClass[], routePath: string): Iterable<Fault> {
  const named = classes.findIndex(({ name }) => name === DEFAULT_CLASS)
  if (named < 0 || classes.some(({ match }) => takesEverything(match, routePath))) return
  yield fault(
    ['classes', named, 'name'],
    `another name, because "${DEFAULT_CLASS}" is the class for requests that match no other class`,
    found(DEFAULT_CLASS),
    'Write another name, or leave out its match and put it last.',
  )
}

function* checkPaths(match: RequestMatch, at: Path, routePath: string): Iterable<Fault> {
  const example = routePath.replace(/\*$/, 'checkout/*')
  for (const pattern of match.path ?? []) {
    if (pathsMeet(pattern, routePath)) continue
    yield fault(
      [...at, 'path'],
      `paths within the route's ${quote(routePath)}`,
      found(pattern),
      `Write the whole path, for example ${quote(example)}, or leave it out.`,
    )
  }
}
