import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'
import { deleteArtifacts } from './expire-artifacts.ts'

/** Deletes the artifacts that a project had at a moment. */
export const deleteArtifactsOfProject = defineTask(
  'ci.delete-artifacts',
  'long',
  Type.Object({ project_id: Type.Integer(), until: Type.String() }),
  ({ project_id, until }, job) =>
    deleteArtifacts(
      job,
      sql<boolean>`a.project_id = ${project_id} and a.created_at <= ${until} and a.file_type <> 'trace'`,
    ),
)
