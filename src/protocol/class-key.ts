/** Names a class of an origin, which may have several routes. */
export const classKey = (route: string, name: string): string => `${route}/${name}`
