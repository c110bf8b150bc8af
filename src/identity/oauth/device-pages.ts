import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { page } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { plainParameters } from '#platform/http/body-kind.ts'
import { forbidden } from '#platform/refusals.ts'
import { type Html, html } from '#platform/http/html.ts'
import { answerWithPages, csrfField, sendPage } from '#platform/pages/page.ts'
import { decisions, hiddenFields, question } from './consent.ts'
import { DeviceDecision, UserCode } from './parameters.ts'
import { findApplicationWithOwner } from './queries.ts'
import { grantable } from './scopes.ts'
import { allowDevice, denyDevice, findWaitingDevice, type WaitingDevice } from './user-codes.ts'

const plainPage = { ...page('signed in'), ...plainParameters }

/** The pages where people enter the code that a device shows, and let it act for them (RFC 8628 §3.3). */
export const devicePages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  // A code in the address only fills in the form: nothing is looked up before the user confirms that it is theirs.
  app.get('/oauth/device', { config: plainPage, schema: { querystring: UserCode } }, async (req, reply) =>
    sendPage(req, reply, { title: TITLE, body: codeForm(req, req.query.user_code ?? '') }),
  )

  app.post('/oauth/device', { config: plainPage, schema: { body: DeviceDecision } }, async (req, reply) => {
    const { user_code = '', decision } = req.body
    const body = await req.write(async (tx) => {
      const device = await findWaitingDevice(tx, req.user(), user_code)
      if (device === undefined) return undefined
      return decision === undefined ? ask(req, tx, device) : decide(req, tx, device, decision)
    })
    if (body !== undefined) return sendPage(req, reply, { title: TITLE, body })
    return sendWrongCode(req, reply, user_code)
  })
}

const TITLE = 'Connect a device'

function codeForm(req: FastifyRequest, code: string, problem?: string): Html {
  return html`<h1>Connect a device</h1>
    <p>Enter the code that the device shows. Only do so if you began this yourself.</p>
    <form method="post" action="/oauth/device">
      ${csrfField(req)}
      <label for="user_code">Code</label>
      <input
        id="user_code"
        name="user_code"
        value="${code}"
        required
        maxlength="64"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        ${problem !== undefined && html`aria-invalid="true" aria-describedby="problem"`}
      />
      ${problem !== undefined && html`<p id="problem" class="problem" role="alert">${problem}</p>`}
      <p class="actions"><button type="submit">Continue</button></p>
    </form>`
}

function sendWrongCode(req: FastifyRequest, reply: FastifyReply, code: string): Promise<FastifyReply> {
  const body = codeForm(req, code, 'This code is wrong or has expired.')
  return sendPage(req, reply, { title: TITLE, body, status: 422 })
}

async function ask(req: FastifyRequest, tx: Tx, device: WaitingDevice): Promise<Html> {
  const application = await findApplicationWithOwner(tx.db, device.application_id)
  return html`${question(application, assertScopes(req, device))}
    <p>
      Go on only if the device before you shows <strong><code>${device.userCode}</code></strong
      >, and you began this yourself.
    </p>
    <form method="post" action="/oauth/device">
      ${csrfField(req)} ${hiddenFields({ user_code: device.userCode })} ${decisions}
    </form>`
}

async function decide(req: FastifyRequest, tx: Tx, device: WaitingDevice, decision: string): Promise<Html> {
  if (decision !== 'authorize') {
    await denyDevice(tx, device)
    return html`<h1>Refused</h1>
      <p>The device was told no. You may close this page.</p>`
  }
  assertScopes(req, device)
  const { id, name } = await findApplicationWithOwner(tx.db, device.application_id)
  await allowDevice(tx, req.user(), device, { id, name })
  return html`<h1>Connected</h1>
    <p><bdi>${name}</bdi> may act for you now. You may close this page and go on with the device.</p>`
}

/** @throws 403 when this user cannot grant any of the scopes. */
function assertScopes(req: FastifyRequest, { scopes }: WaitingDevice): string[] {
  const possible = grantable(scopes, req.user())
  if (possible.length === 0) throw forbidden('only administrators can allow what this device asks for')
  return possible
}
