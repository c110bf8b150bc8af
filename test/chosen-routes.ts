import type { DeclaredRoute } from '#platform/http/declared-routes.ts'

const { TEST_ROUTES } = process.env

const patterns =
  TEST_ROUTES === undefined
    ? undefined
    : (JSON.parse(TEST_ROUTES) as readonly string[]).map((pattern) => new RegExp(pattern))

/** Whether the matrices have a row for a route in this run: for all, unless `npm run near` chose those of what changed. */
export const isChosen = ({ url }: Pick<DeclaredRoute, 'url'>): boolean =>
  patterns === undefined || patterns.some((pattern) => pattern.test(url))
