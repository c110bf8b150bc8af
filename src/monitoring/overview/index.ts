import type { Feature } from '#platform/feature.ts'
import { overviewPage } from './page-routes.ts'

/** Leads people to the pages of alerts and errors of their projects. */
export const monitoringOverview: Feature = { pages: [overviewPage] }
