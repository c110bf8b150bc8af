import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { discussionNoteRoutes } from '#planning/discussions/note-routes.ts'
import { discussionRoutes } from '#planning/discussions/routes.ts'
import { applicationPages } from '#identity/applications/page-routes.ts'
import { applicationRoutes } from '#identity/applications/routes.ts'
import { auditEventRoutes } from '#administration/audit-events/routes.ts'
import { docsRoutes } from '#platform/docs/routes.ts'
import { avatarPages } from '#tenancy/avatars/pages.ts'
import { avatarRoutes } from '#tenancy/avatars/routes.ts'
import { cleanUpFiles } from '#platform/files/clean-up.ts'
import { createHttpServer } from '#platform/http/connections.ts'
import { demandBounds } from '#platform/http/bounds.ts'
import { invalidParameters, writeError } from '#platform/http/errors.ts'
import { requestIds, sendHeaders } from '#platform/http/headers.ts'
import { type ParameterSchema, readParameters } from '#platform/http/parameters.ts'
import { BodyMemory } from '#platform/http/incoming.ts'
import { logRequests } from '#platform/http/logs.ts'
import { prepareRequests } from '#platform/http/requests.ts'
import { answerUnrouted, API, KnownRoutes, routerOptions } from '#platform/http/routing.ts'
import { lazySerializers } from '#platform/http/serializers.ts'
import { defaultTransport, type Transport } from '#platform/http/transport.ts'
import { awardEmojiRoutes } from '#planning/award-emoji/routes.ts'
import { featureRoutes } from '#platform/features/routes.ts'
import { groupRoutes } from '#tenancy/groups/routes.ts'
import { groupShareRoutes } from '#tenancy/groups/share-routes.ts'
import { groupTreeRoutes } from '#tenancy/groups/tree-routes.ts'
import { healthRoutes } from '#administration/instance/health.ts'
import { instanceRoutes } from '#administration/instance/routes.ts'
import { issueLinkRoutes } from '#planning/issues/links/routes.ts'
import { issueListRoutes } from '#planning/issues/list-routes.ts'
import { issueMergeRequestRoutes } from '#planning/issues/merge-request-routes.ts'
import { mentionGroups } from '#planning/noteables/mention-groups.ts'
import { registerNoteables } from '#planning/noteable-kinds.ts'
import { issueMoveRoutes } from '#planning/issues/move/routes.ts'
import { issueOrderRoutes } from '#planning/issues/order/routes.ts'
import { issueParticipantRoutes } from '#planning/issues/participant-routes.ts'
import { issueRoutes } from '#planning/issues/routes.ts'
import { issueSubscriptionRoutes } from '#planning/issues/subscription-routes.ts'
import { issueTimeRoutes } from '#planning/issues/time/routes.ts'
import { issueTodoRoute } from '#planning/issues/todo-route.ts'
import { issueUserAgentRoute } from '#planning/issues/user-agent-route.ts'
import { groupLabelRoutes } from '#planning/labels/group-routes.ts'
import { sharedLabelRoutes } from '#planning/labels/shared-routes.ts'
import { labelRoutes } from '#planning/labels/routes.ts'
import { countBillable } from '#administration/licenses/count-billable-users.ts'
import { licenseRoutes } from '#administration/licenses/routes.ts'
import { memberRoutes } from '#tenancy/members/routes.ts'
import { milestoneIssueRoutes } from '#planning/milestones/issue-routes.ts'
import { milestoneMergeRequestRoutes } from '#planning/milestones/merge-request-routes.ts'
import { milestoneRoutes } from '#planning/milestones/routes.ts'
import { namespaceRoutes } from '#identity/namespaces/routes.ts'
import { removeSubtree } from '#identity/namespaces/remove-subtree.ts'
import { noteRoutes } from '#planning/notes/routes.ts'
import { cleanUpOAuth } from '#identity/oauth/clean-up.ts'
import { authorizedPages } from '#identity/oauth/authorized-routes.ts'
import { devicePages } from '#identity/oauth/device-pages.ts'
import { authorizePages } from '#identity/oauth/authorize-pages.ts'
import { oauthRoutes } from '#identity/oauth/routes.ts'
import { openapiRoutes } from '#platform/openapi/routes.ts'
import { projectActionRoutes } from '#tenancy/projects/action-routes.ts'
import { projectListRoutes } from '#tenancy/projects/list-routes.ts'
import { projectPeopleRoutes } from '#tenancy/projects/people-routes.ts'
import { projectRoutes } from '#tenancy/projects/routes.ts'
import { resourceEventRoutes } from '#planning/resource-events/routes.ts'
import { startPages } from '#platform/pages/routes.ts'
import { keepPartitions } from '#platform/retention/keep-partitions.ts'
import { removeEndedSessions } from '#identity/sessions/remove-ended-sessions.ts'
import { sessionPages } from '#identity/sessions/session-routes.ts'
import { signInPages } from '#identity/sessions/sign-in-routes.ts'
import { settingsRoutes } from '#platform/settings/routes.ts'
import { impersonationTokenRoutes } from '#identity/tokens/impersonation-routes.ts'
import { tokenPages } from '#identity/tokens/page-routes.ts'
import { placeTokenRoutes } from '#tenancy/access-tokens/place-routes.ts'
import { placeSelfTokenRoutes } from '#tenancy/access-tokens/place-self-routes.ts'
import { tokenRoutes } from '#identity/tokens/routes.ts'
import { selfTokenRoutes } from '#identity/tokens/self-routes.ts'
import { tellOfExpiry } from '#identity/tokens/tell-expiry.ts'
import { continueBackfills } from '#platform/jobs/backfill.ts'
import { daily, type Scheduled, scheduled } from '#platform/jobs/schedule.ts'
import type { AnyTask } from '#platform/jobs/task.ts'
import { topicRoutes } from '#tenancy/topics/routes.ts'
import { userAdminRoutes } from '#identity/users/admin-routes.ts'
import { ownRoutes } from '#identity/users/own-routes.ts'
import { passwordPages } from '#identity/users/password-routes.ts'
import { removeUser } from '#identity/users/remove-user.ts'
import { userRoutes } from '#identity/users/routes.ts'
import { userStateRoutes } from '#identity/users/state-routes.ts'
import type { Services } from './services.ts'

registerNoteables()

/** Work on large tables that migrations have begun; none at present. */
const runBackfills = continueBackfills([])

/** Background tasks of all features, and when they run by themselves. */
export const tasks: readonly AnyTask[] = [
  mentionGroups,
  removeSubtree,
  removeUser,
  tellOfExpiry,
  removeEndedSessions,
  cleanUpOAuth,
  cleanUpFiles,
  countBillable,
  keepPartitions,
  runBackfills,
]
export const schedule: readonly Scheduled[] = [
  daily('00:10', tellOfExpiry, {}),
  daily('02:40', keepPartitions, {}),
  daily('03:20', removeEndedSessions, {}),
  daily('03:40', cleanUpOAuth, {}),
  daily('04:20', cleanUpFiles, {}),
  daily('12:00', countBillable, {}),
  scheduled('*/5 * * * *', runBackfills, {}),
]

/** The features, in reading order: each is a folder with its routes. */
const features = [
  ownRoutes,
  userRoutes,
  userAdminRoutes,
  userStateRoutes,
  tokenRoutes,
  selfTokenRoutes,
  impersonationTokenRoutes,
  placeTokenRoutes,
  placeSelfTokenRoutes,
  applicationRoutes,
  groupRoutes,
  groupTreeRoutes,
  groupShareRoutes,
  memberRoutes,
  namespaceRoutes,
  projectRoutes,
  projectActionRoutes,
  projectPeopleRoutes,
  projectListRoutes,
  topicRoutes,
  avatarRoutes,
  labelRoutes,
  groupLabelRoutes,
  sharedLabelRoutes,
  milestoneRoutes,
  issueRoutes,
  issueListRoutes,
  milestoneIssueRoutes,
  issueLinkRoutes,
  issueTimeRoutes,
  issueOrderRoutes,
  issueMoveRoutes,
  noteRoutes,
  discussionRoutes,
  discussionNoteRoutes,
  issueParticipantRoutes,
  issueSubscriptionRoutes,
  issueUserAgentRoute,
  issueTodoRoute,
  issueMergeRequestRoutes,
  milestoneMergeRequestRoutes,
  resourceEventRoutes,
  awardEmojiRoutes,
  auditEventRoutes,
  settingsRoutes,
  licenseRoutes,
  featureRoutes,
  instanceRoutes,
  openapiRoutes,
]

/** What people see in browsers, outside of the API. */
const pages = [
  startPages,
  signInPages,
  sessionPages,
  passwordPages,
  tokenPages,
  applicationPages,
  authorizedPages,
  authorizePages,
  devicePages,
]

/**
 * Builds the server: what all requests share first, then the features. Listens to nothing yet.
 * @throws when a route lacks its access or its answers, or takes anything without a maximum.
 */
export async function buildApp(
  services: Services,
  log: FastifyBaseLogger,
  transport: Transport = defaultTransport,
): Promise<FastifyInstance> {
  const { config, limits } = services
  const routes = new KnownRoutes()
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    genReqId: requestIds(randomUUID().slice(0, 8)),
    requestIdHeader: false,
    rewriteUrl: ({ method, url }) => routes.withoutSuffix(method ?? 'GET', url ?? '/'),
    // A parser that throws here would leave the request without an answer; requests.ts reads the query.
    routerOptions: { ...routerOptions, querystringParser: () => ({}) },
    serverFactory: (handle) =>
      createHttpServer(handle, { ...transport, ...config, onRefusal: (name) => limits.noteRefusal(name) }),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.decorate('services', services)
  app.decorate('db', services.db)
  app.decorate('transport', transport)
  app.decorate('bodyMemory', new BodyMemory(transport.memory))
  app.setValidatorCompiler<ParameterSchema>(({ schema }) => validate(schema))
  app.setSerializerCompiler(lazySerializers())
  app.setErrorHandler(writeError)
  // Bodies are read by platform/http/recognize.ts, once it is known who sends them.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  logRequests(app)
  services.metrics.measureRequests(app)
  sendHeaders(app)
  answerUnrouted(app, routes)
  demandBounds(app)
  prepareRequests(app)
  for (const feature of features) await app.register(feature, { prefix: API })
  await app.register(healthRoutes)
  await app.register(docsRoutes)
  await app.register(avatarPages)
  await app.register(oauthRoutes)
  for (const feature of pages) await app.register(feature)
  return app
}

/** One reader for all parameters: nothing is compiled at start. */
function validate(schema: ParameterSchema) {
  return (input: unknown) => {
    const parameters = typeof input === 'object' && input !== null ? { ...input } : {}
    const read = readParameters(schema, parameters)
    return 'value' in read ? { value: read.value } : { error: invalidParameters(read.problems) }
  }
}
