import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { identifyReader } from '#code/git-http/authorize-git.ts'
import { authorizeNamedProject } from '#platform/access/authorize.ts'
import { outside } from '#platform/access/route-access.ts'
import { flag, integer, oneOf, text } from '#platform/http/schema.ts'
import { coverageBadge, pipelineBadge } from './badge-of.ts'
import { BADGES } from './paths.ts'
import { badgeSvg } from './svg.ts'

const params = Type.Object({
  project: text({ max: 8_192 }),
  ref: text({ max: 1_024 }),
  badge: oneOf(['pipeline.svg', 'coverage.svg']),
})
const percent = () => Type.Optional(integer({ minimum: 0, maximum: 100 }))
const querystring = Type.Object({
  key_text: Type.Optional(text({ max: 80 })),
  key_width: Type.Optional(integer({ minimum: 1, maximum: 200 })),
  style: Type.Optional(oneOf(['flat', 'flat-square'])),
  ignore_skipped: flag({ default: false }),
  job: Type.Optional(text()),
  min_good: percent(),
  min_acceptable: percent(),
  min_medium: percent(),
})

/** Pictures that tell how the last pipeline of a branch went, for pages elsewhere. */
export const badgeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  app.get(
    BADGES,
    { config: outside, schema: { params, querystring }, exposeHeadRoute: false },
    async (req, reply) => {
      await identifyReader(req)
      const { params: asked, query } = req
      const { container } = await authorizeNamedProject(db, req.viewer, asked.project, 'read_pipeline')
      const isPipeline = asked.badge === 'pipeline.svg'
      const { min_good: good = 95, min_acceptable: acceptable = 90, min_medium: medium = 75 } = query
      const told = isPipeline
        ? await pipelineBadge(db, container.id, { ref: asked.ref, ignoresSkipped: query.ignore_skipped })
        : await coverageBadge(db, container.id, {
            ref: asked.ref,
            job: query.job,
            bounds: { good, acceptable, medium },
          })
      const svg = badgeSvg({
        key: query.key_text ?? (isPipeline ? 'pipeline' : 'coverage'),
        ...told,
        keyWidth: query.key_width,
        flatSquare: query.style === 'flat-square',
      })
      return reply
        .headers({
          'cache-control': 'no-store',
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'cross-origin',
        })
        .type('image/svg+xml; charset=utf-8')
        .send(svg)
    },
  )
}
