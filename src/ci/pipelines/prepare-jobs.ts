import { defineTask } from '#platform/jobs/task.ts'
import { definitionColumn } from '../jobs/definition.ts'
import { prepareJobsLater } from './later.ts'
import { prepareDeployment } from './prepare-deployment.ts'
import { startDownstream } from './start-downstream.ts'

/** Prepares jobs of a pipeline that deploy, and starts the pipelines of its bridges. Each is a transaction of its own. */
export const prepareJobs = defineTask(
  prepareJobsLater.name,
  'short',
  prepareJobsLater.payload,
  async ({ pipeline_id }, job) => {
    const waiting = await job.db
      .selectFrom('ci_jobs as j')
      .innerJoin('ci_job_definitions as d', 'd.id', 'j.definition_id')
      .innerJoin('pipelines as p', 'p.id', 'j.pipeline_id')
      .select([
        'j.id',
        'j.bridge',
        'j.user_id',
        'j.name',
        'j.deployment_id',
        definitionColumn.as('definition'),
      ])
      .select(['p.id as pipeline_id', 'p.project_id', 'p.ref', 'p.tag', 'p.sha', 'p.source', 'p.is_child'])
      .where('j.pipeline_id', '=', pipeline_id)
      .where('j.retried', '=', false)
      .where((is) =>
        is.or([
          is('j.status', '=', 'preparing'),
          // Also those that run already: whoever started their pipelines may have been killed before they were done.
          is.and([is('j.bridge', '=', true), is('j.status', 'in', ['pending', 'running'])]),
        ]),
      )
      .orderBy('j.id')
      .execute()
    for (const one of waiting) await (one.bridge ? startDownstream(job, one) : prepareDeployment(job, one))
  },
)
