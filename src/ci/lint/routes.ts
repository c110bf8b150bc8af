import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { ById } from '#platform/http/schema.ts'
import { forbidden } from '#platform/refusals.ts'
import { CiLint } from './entity.ts'
import { lint } from './lint.ts'
import { LintOfContent, LintOfProject } from './parameters.ts'

const given = (...texts: readonly (string | undefined)[]): string | undefined =>
  texts.find((text) => text !== undefined && text !== '')

/** Checks CI configurations without running anything. */
export const lintRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/ci/lint',
    {
      config: reads(project('download_code')),
      schema: {
        summary: 'Check the CI configuration of a project',
        description: '`dry_run` is for those who may run pipelines.',
        params: ById,
        querystring: LintOfProject,
        response: { 200: CiLint },
      },
    },
    (req) => {
      const { content_ref, sha, dry_run, dry_run_ref, ref, include_jobs } = req.query
      if (dry_run && !req.project().can('create_pipeline')) throw forbidden()
      return lint(req, {
        content: undefined,
        at: given(content_ref, sha),
        ref: given(dry_run_ref, ref),
        dryRun: dry_run,
        withJobs: include_jobs,
      })
    },
  )

  app.post(
    '/projects/:id/ci/lint',
    {
      config: writes(project('create_pipeline')),
      schema: {
        summary: 'Check a CI configuration',
        description: 'Local files are those of the project.',
        params: ById,
        body: LintOfContent,
        response: { 200: CiLint },
      },
    },
    (req) => {
      const { content, dry_run, include_jobs, ref } = req.body
      const asked = { content, at: undefined, ref: given(ref) }
      return lint(req, { ...asked, dryRun: dry_run, withJobs: include_jobs })
    },
  )
}
