import { archiveParts } from '#code/archives/parts/all.ts'
import type { Feature } from '#platform/feature.ts'
import { sealedColumns } from '#platform/key-ring/key-ring.ts'
import { pipelineScheduleAbilities } from './abilities.ts'
import { archivedSchedules } from './archive-part.ts'
import { auditedSchedule, pipelineScheduleFacts } from './facts.ts'
import { pipelineScheduleRoutes } from './routes.ts'
import { scheduleSettings } from './settings.ts'
import { everyMinute, playSchedule, runSchedules } from './run-schedules.ts'
import { scheduleVariableRoutes } from './variable-routes.ts'
import { sealedScheduleVariables } from './variables.ts'

/** Pipelines that are made by themselves, again and again. */
export const pipelineSchedules: Feature = {
  areas: [
    {
      name: 'Pipeline schedules',
      about: 'Pipelines that are made by themselves, again and again.',
      segments: ['pipeline_schedules'],
    },
  ],
  routes: [pipelineScheduleRoutes, scheduleVariableRoutes],
  abilities: pipelineScheduleAbilities,
  facts: pipelineScheduleFacts,
  settings: scheduleSettings,
  audited: auditedSchedule,
  tasks: [playSchedule, runSchedules],
  schedule: [everyMinute],
  extensions: [sealedColumns.with(sealedScheduleVariables), archiveParts.with(archivedSchedules)],
}
