import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { ById, integer } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { presentTestReport, presentTestReportSummary, TestReport, TestReportSummary } from './entity.ts'
import { readSuites } from './read-suites.ts'

const ByPipeline = Type.Object({ ...ById.properties, pipeline_id: integer() })

/** What tests of pipelines said: reports that jobs have left as `artifacts:reports:junit`. */
export const testReportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  const suites = async (req: FastifyRequest, id: number) => {
    const pipeline = await db
      .selectFrom('pipelines')
      .select('id')
      .where('project_id', '=', req.project().container.id)
      .where('id', '=', id)
      .executeTakeFirstOrThrow(() => notFound())
    return readSuites(services, pipeline.id)
  }

  app.get(
    '/projects/:id/pipelines/:pipeline_id/test_report',
    {
      config: reads(project('read_pipeline'), { anonymous: true }),
      schema: {
        summary: 'Get the test report of a pipeline',
        params: ByPipeline,
        response: { 200: TestReport },
      },
    },
    async (req) => presentTestReport(await suites(req, req.params.pipeline_id)),
  )

  app.get(
    '/projects/:id/pipelines/:pipeline_id/test_report_summary',
    {
      config: reads(project('read_pipeline'), { anonymous: true }),
      schema: {
        summary: 'Get the counts of the test report of a pipeline',
        params: ByPipeline,
        response: { 200: TestReportSummary },
      },
    },
    async (req) => presentTestReportSummary(await suites(req, req.params.pipeline_id)),
  )
}
