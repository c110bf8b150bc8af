import type { FastifyPluginAsync } from 'fastify'
import { levels } from '#platform/access/roles.ts'
import { page } from '#platform/access/route-access.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { hasLevel, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { html, type Html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { answerWithPages, sendPage } from '#platform/pages/page.ts'
import { pageOf as integrationsOf } from '#monitoring/alert-integrations/page.ts'
import { pageOf as errorsOf } from '#monitoring/error-tracking/errors/entity.ts'

/** The most projects on the page. Those that were made last come first. */
const MAX_PROJECTS = 50

/** The page that leads to the errors of a person's projects, and to their alert integrations. */
export const overviewPage: FastifyPluginAsync = async (app) => {
  const { db } = app
  answerWithPages(app)

  app.get(pages.monitoring, { config: page('signed in') }, async (req, reply) => {
    const found = await projectsOf(db, req.viewer)
    return sendPage(req, reply, { title: 'Alerts and errors', body: overview(found) })
  })
}

interface Watched {
  readonly id: number
  readonly path: string
  readonly maintained: boolean
}

function projectsOf(db: Db, viewer: Viewer): Promise<Watched[]> {
  return db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['p.id', 'n.full_path as path', hasLevel('n', viewer, levels.maintainer).as('maintained')])
    .where(hasLevel('n', viewer, levels.reporter))
    .where(visibleTo('n', viewer))
    .orderBy('p.id', 'desc')
    .limit(MAX_PROJECTS + 1)
    .execute()
}

function overview(found: readonly Watched[]): Html {
  return html`<h1>Alerts and errors</h1>
    <p>Errors that your programs report, and the integrations that receive alerts of monitoring tools.</p>
    ${found.length === 0 && html`<p class="quiet">You are a member of no project yet.</p>`}
    <ul class="cards">
      ${found.slice(0, MAX_PROJECTS).map(
        ({ id, path, maintained }) =>
          html`<li class="card">
            <h2><bdi>${path}</bdi></h2>
            <p>
              <a href="${errorsOf(id)}">Errors <span class="unseen">of ${path}</span></a>
              ${
                maintained &&
                html` ·
                  <a href="${integrationsOf(id)}"
                    >Alert integrations <span class="unseen">of ${path}</span></a
                  >`
              }
            </p>
          </li> `,
      )}
    </ul>
    ${found.length > MAX_PROJECTS && html`<p class="quiet">These are the ${MAX_PROJECTS} newest of your projects.</p>`}`
}
