import type { Feature } from '#platform/feature.ts'
import { goGetUrl } from './paths.ts'
import { goGetRoutes } from './routes.ts'

/** `?go-get=1`, with which `go` asks where a package is. */
export const goGet: Feature = { pages: [goGetRoutes], rewrites: [goGetUrl] }
