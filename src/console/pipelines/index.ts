import type { Feature } from '#platform/feature.ts'
import { pipelineFormRoutes } from './form-routes.ts'
import { pipelinePageRoutes } from './routes.ts'
import { scheduleFormRoutes } from './schedule-form-routes.ts'

/** Pipelines of a project, and what belongs to them. */
export const pipelinePages: Feature = { pages: [pipelinePageRoutes, pipelineFormRoutes, scheduleFormRoutes] }
