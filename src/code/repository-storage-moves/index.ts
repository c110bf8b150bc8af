import type { Feature } from '#platform/feature.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { projectExtensions } from '#tenancy/projects/extension-points.ts'
import { storageMoveAbilities } from './abilities.ts'
import { cleanUpMove } from './clean-up-move.ts'
import { auditedStorageMove, storageMoveFacts } from './facts.ts'
import { storagesOfProjects } from './project-extension.ts'
import { storageMoveRoutes } from './routes.ts'
import { runMove } from './run-move.ts'
import { scheduleStorage } from './schedule-storage.ts'
import { storageMoveSettings } from './settings.ts'
import { tidyMoves } from './tidy-moves.ts'

/** Moves of repositories from one storage to another. */
export const repositoryStorageMoves: Feature = {
  areas: [
    {
      name: 'Repository storage moves',
      about: 'Moves of repositories between storages, for administrators. Those of groups need Premium.',
      segments: [
        'repository_storage_moves',
        'project_repository_storage_moves',
        'group_repository_storage_moves',
        'snippet_repository_storage_moves',
      ],
    },
  ],
  routes: [storageMoveRoutes],
  abilities: storageMoveAbilities,
  facts: storageMoveFacts,
  audited: auditedStorageMove,
  settings: storageMoveSettings,
  extensions: [projectExtensions.with(storagesOfProjects)],
  tasks: [runMove, cleanUpMove, scheduleStorage, tidyMoves],
  schedule: [scheduled('*/5 * * * *', tidyMoves, {})],
}
