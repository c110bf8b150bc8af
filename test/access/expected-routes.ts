import { readdirSync } from 'node:fs'
import type { RouteExpectation, RouteExpectations } from './route-expectation.ts'

const modules = await Promise.all(
  readdirSync(new URL('routes/', import.meta.url)).map(
    (file): Promise<Readonly<Record<string, RouteExpectations>>> =>
      import(new URL(`routes/${file}`, import.meta.url).href),
  ),
)

/** What every route must answer whom, from all files of routes/. A route that is missing there fails the suite. */
export const expectations = new Map<string, RouteExpectation>(
  modules.flatMap((module) => Object.values(module)).flatMap((found) => Object.entries(found)),
)
