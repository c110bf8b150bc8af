import type { Feature } from '#platform/feature.ts'
import { jobRequestPages } from './routes.ts'

/** What runners ask for and tell: jobs, logs, artifacts. */
export const jobRequests: Feature = { pages: [jobRequestPages] }
