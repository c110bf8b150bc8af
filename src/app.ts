import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { discussionNoteRoutes } from '#discussions/note-routes.ts'
import { discussionRoutes } from '#discussions/routes.ts'
import { applicationPages } from '#applications/page-routes.ts'
import { applicationRoutes } from '#applications/routes.ts'
import { auditEventRoutes } from '#audit-events/routes.ts'
import { docsRoutes } from '#docs/routes.ts'
import { avatarPages } from '#avatars/pages.ts'
import { avatarRoutes } from '#avatars/routes.ts'
import { cleanUpFiles } from '#files/clean-up.ts'
import { createHttpServer } from '#http/connections.ts'
import { demandBounds } from '#http/bounds.ts'
import { invalidParameters, writeError } from '#http/errors.ts'
import { requestIds, sendHeaders } from '#http/headers.ts'
import { type ParameterSchema, readParameters } from '#http/parameters.ts'
import { BodyMemory } from '#http/incoming.ts'
import { logRequests } from '#http/logs.ts'
import { prepareRequests } from '#http/requests.ts'
import { answerUnrouted, API, KnownRoutes, routerOptions } from '#http/routing.ts'
import { lazySerializers } from '#http/serializers.ts'
import { defaultTransport, type Transport } from '#http/transport.ts'
import { awardEmojiRoutes } from '#award-emoji/routes.ts'
import { featureRoutes } from '#features/routes.ts'
import { groupRoutes } from '#groups/routes.ts'
import { groupShareRoutes } from '#groups/share-routes.ts'
import { groupTreeRoutes } from '#groups/tree-routes.ts'
import { healthRoutes } from '#instance/health.ts'
import { instanceRoutes } from '#instance/routes.ts'
import { issueLinkRoutes } from '#issues/links/routes.ts'
import { issueListRoutes } from '#issues/list-routes.ts'
import { issueMergeRequestRoutes } from '#issues/merge-request-routes.ts'
import { mentionGroups } from '#issues/mention-groups.ts'
import { issueMoveRoutes } from '#issues/move/routes.ts'
import { issueOrderRoutes } from '#issues/order/routes.ts'
import { issueParticipantRoutes } from '#issues/participant-routes.ts'
import { issueRoutes } from '#issues/routes.ts'
import { issueSubscriptionRoutes } from '#issues/subscription-routes.ts'
import { issueTimeRoutes } from '#issues/time/routes.ts'
import { issueUserAgentRoute } from '#issues/user-agent-route.ts'
import { groupLabelRoutes } from '#labels/group-routes.ts'
import { sharedLabelRoutes } from '#labels/shared-routes.ts'
import { labelRoutes } from '#labels/routes.ts'
import { countBillable } from '#licenses/count-billable-users.ts'
import { licenseRoutes } from '#licenses/routes.ts'
import { memberRoutes } from '#members/routes.ts'
import { milestoneIssueRoutes } from '#milestones/issue-routes.ts'
import { milestoneMergeRequestRoutes } from '#milestones/merge-request-routes.ts'
import { milestoneRoutes } from '#milestones/routes.ts'
import { namespaceRoutes } from '#namespaces/routes.ts'
import { removeSubtree } from '#namespaces/remove-subtree.ts'
import { noteRoutes } from '#notes/routes.ts'
import { cleanUpOAuth } from '#oauth/clean-up.ts'
import { authorizedPages } from '#oauth/authorized-routes.ts'
import { devicePages } from '#oauth/device-pages.ts'
import { authorizePages } from '#oauth/authorize-pages.ts'
import { oauthRoutes } from '#oauth/routes.ts'
import { openapiRoutes } from '#openapi/routes.ts'
import { projectActionRoutes } from '#projects/action-routes.ts'
import { projectListRoutes } from '#projects/list-routes.ts'
import { projectPeopleRoutes } from '#projects/people-routes.ts'
import { projectRoutes } from '#projects/routes.ts'
import { resourceEventRoutes } from '#resource-events/routes.ts'
import { startPages } from '#pages/routes.ts'
import { keepPartitions } from '#retention/keep-partitions.ts'
import { removeEndedSessions } from '#sessions/remove-ended-sessions.ts'
import { sessionPages } from '#sessions/session-routes.ts'
import { signInPages } from '#sessions/sign-in-routes.ts'
import { settingsRoutes } from '#settings/routes.ts'
import { impersonationTokenRoutes } from '#tokens/impersonation-routes.ts'
import { tokenPages } from '#tokens/page-routes.ts'
import { placeTokenRoutes } from '#tokens/place-routes.ts'
import { placeSelfTokenRoutes } from '#tokens/place-self-routes.ts'
import { tokenRoutes } from '#tokens/routes.ts'
import { selfTokenRoutes } from '#tokens/self-routes.ts'
import { tellOfExpiry } from '#tokens/tell-expiry.ts'
import { continueBackfills } from '#jobs/backfill.ts'
import { daily, type Scheduled, scheduled } from '#jobs/schedule.ts'
import type { AnyTask } from '#jobs/task.ts'
import { todoRoutes } from '#todos/routes.ts'
import { topicRoutes } from '#topics/routes.ts'
import { userAdminRoutes } from '#users/admin-routes.ts'
import { ownRoutes } from '#users/own-routes.ts'
import { passwordPages } from '#users/password-routes.ts'
import { removeUser } from '#users/remove-user.ts'
import { userRoutes } from '#users/routes.ts'
import { userStateRoutes } from '#users/state-routes.ts'
import type { Services } from './services.ts'

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
  issueMergeRequestRoutes,
  milestoneMergeRequestRoutes,
  resourceEventRoutes,
  awardEmojiRoutes,
  todoRoutes,
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
  // Bodies are read by http/recognize.ts, once it is known who sends them.
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
