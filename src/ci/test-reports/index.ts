import type { Feature } from '#platform/feature.ts'
import { testReportRoutes } from './routes.ts'

/** What tests of pipelines said. */
export const testReports: Feature = { routes: [testReportRoutes] }
