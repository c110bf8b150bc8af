import type { Feature } from '#platform/feature.ts'
import { archiveLogs } from './archive-logs.ts'
import { logRoutes } from './routes.ts'

/** The logs of jobs. */
export const jobLogs: Feature = { routes: [logRoutes], tasks: [archiveLogs] }
