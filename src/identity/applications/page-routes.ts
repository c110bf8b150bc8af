import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { askAgain, type Problems, typed, typedList } from '#platform/pages/forms.ts'
import { pages } from '#platform/pages/links.ts'
import { leadTo } from '#platform/pages/notice.ts'
import { answerWithPages, COPY_SCRIPT, sendPage } from '#platform/pages/page.ts'
import { createApplication, type NewApplication } from './create-application.ts'
import { deleteApplication } from './delete-application.ts'
import type { ApplicationRow, FreshApplication } from './entity.ts'
import { applicationPage, applicationsPage, blank, type ApplicationFormValues, formOf } from './page.ts'
import { ApplicationForm, ApplicationsPage, ByApplication } from './parameters.ts'
import { applicationsOf, findApplication } from './queries.ts'
import { renewSecret } from './renew-secret.ts'
import { updateApplication } from './update-application.ts'

const PER_PAGE = 50
const ONE = `${pages.applications}/:id`

/** The pages where people manage the OAuth applications that they registered. */
export const applicationPages: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  answerWithPages(app)

  app.get(
    pages.applications,
    { config: page('signed in'), schema: { querystring: ApplicationsPage } },
    async (req, reply) => sendList(req, reply, req.query),
  )

  app.post(
    pages.applications,
    {
      config: page('signed in'),
      schema: { body: ApplicationForm },
      errorHandler: askAgain((req, reply, problems) =>
        sendList(req, reply, { form: sentForm(req, problems) }),
      ),
    },
    async (req, reply) => {
      const fresh = await req.write((tx) => createApplication(tx, askedIn(req.body), req.user()))
      return sendOne(req, reply, fresh, { form: formOf(fresh), ...shownSecret(fresh) })
    },
  )

  app.get(ONE, { config: page('signed in'), schema: { params: ByApplication } }, async (req, reply) => {
    const application = await findApplication(applicationsOf(db, req.user().id), req.params.id)
    return sendOne(req, reply, application, {
      form: formOf(application),
    })
  })

  app.post(
    ONE,
    {
      config: page('signed in'),
      schema: { params: ByApplication, body: ApplicationForm },
      errorHandler: askAgain(async (req, reply, problems) => {
        const application = await findApplication(applicationsOf(db, req.user().id), idIn(req))
        return sendOne(req, reply, application, { form: sentForm(req, problems) })
      }),
    },
    async (req, reply) => {
      await req.write(async (tx) =>
        updateApplication(tx, await ownApplication(tx, req), askedIn(req.body), req.user()),
      )
      return leadTo(req, reply, `${pages.applications}/${req.params.id}`, 'Changed.')
    },
  )

  app.post(
    `${ONE}/renew_secret`,
    { config: page('signed in'), schema: { params: ByApplication } },
    async (req, reply) => {
      const fresh = await req.write(async (tx) => renewSecret(tx, await ownApplication(tx, req)))
      return sendOne(req, reply, fresh, { form: formOf(fresh), fresh })
    },
  )

  app.post(
    `${ONE}/delete`,
    { config: page('signed in'), schema: { params: ByApplication } },
    async (req, reply) => {
      await req.write(async (tx) => deleteApplication(tx, await ownApplication(tx, req)))
      return leadTo(req, reply, pages.applications, 'Deleted.')
    },
  )
}

/** Finds an application of the signed-in user. Administrators manage other people's through the API. */
function ownApplication(tx: Tx, req: FastifyRequest): Promise<ApplicationRow> {
  return findApplication(applicationsOf(tx.db, req.user().id), idIn(req))
}

function idIn({ params }: FastifyRequest): number {
  return typeof params === 'object' && params !== null && 'id' in params ? Number(params.id) : 0
}

function askedIn({
  name,
  redirect_uri,
  scopes = [],
  confidential,
}: Static<typeof ApplicationForm>): NewApplication {
  return { name, redirect_uri, scopes: scopes.join(' '), confidential }
}

/** The submitted form with its problems. */
function sentForm(req: FastifyRequest, problems: Problems): ApplicationFormValues {
  return {
    problems,
    name: typed(req, 'name'),
    redirect_uri: typed(req, 'redirect_uri'),
    scopes: typedList(req, 'scopes'),
    confidential: typed(req, 'confidential') !== 'false',
  }
}

/** Public applications do not use the secret that they are given. */
const shownSecret = (fresh: FreshApplication) => (fresh.confidential ? { fresh } : {})

interface ListState {
  readonly form?: ApplicationFormValues
  readonly before?: number
}

async function sendList(
  req: FastifyRequest,
  reply: FastifyReply,
  { form = blank, before }: ListState,
): Promise<FastifyReply> {
  const found = await applicationsOf(req.server.db, req.user().id)
    .$if(before !== undefined, (q) => q.where('a.id', '<', before ?? 0))
    .orderBy('a.id', 'desc')
    .limit(PER_PAGE + 1)
    .execute()
  const next = found.length > PER_PAGE ? found[PER_PAGE - 1]?.id : undefined
  const body = applicationsPage(req, { applications: found.slice(0, PER_PAGE), next, form })
  return sendPage(req, reply, { title: 'Your applications', body })
}

function sendOne(
  req: FastifyRequest,
  reply: FastifyReply,
  application: ApplicationRow,
  shown: Parameters<typeof applicationPage>[2],
): Promise<FastifyReply> {
  const body = applicationPage(req, application, shown)
  const scripts = shown.fresh === undefined ? [] : [COPY_SCRIPT]
  return sendPage(req, reply, { title: application.name, body, scripts })
}
