import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { Check } from 'typebox/schema'
import { page } from '#platform/access/route-access.ts'
import { anyParameters } from '#platform/http/body-kind.ts'
import { isOwnForm } from '#platform/http/browser-sessions.ts'
import { html } from '#platform/http/html.ts'
import { leadTo } from '#platform/pages/notice.ts'
import { COPY_SCRIPT, sendRefusal } from '#platform/pages/page.ts'
import { badRequest, NotAllowed } from '#platform/refusals.ts'
import { type Action, changedMeanwhile, type Done, untilUnmodified } from './action.ts'
import { Api } from './api.ts'
import { changedOf, isOvertaken, type ShownFields } from './changed-fields.ts'
import { offerAgain } from './offer-again.ts'
import { Forms, type Refused } from './forms.ts'
import { refusalOf } from './problems.ts'
import { show, type View } from './show.ts'
import { type Sent, sentIn } from './sent.ts'

/** Bytes of what a form sends: a long text with all its characters encoded, or a file as it is kept in a repository. */
const MOST_BYTES = 16 * 1024 * 1024
/** Characters of it without files: the longest text, and all else twice. What is refused is shown again, which takes time for each of them. */
const MOST_CHARACTERS = 2_500_000
/** Characters of what a form does: the name of an action, and of what it is about, such as a path. */
const MOST_OF_DOES = 5_000

/** Somebody at a page, with what the address names. */
export interface Visit<P extends TObject, Q extends TObject> {
  readonly request: FastifyRequest
  readonly api: Api
  readonly params: Static<P>
  readonly query: Static<Q>
  readonly forms: Forms
}

/** What the forms of a page do, by their names. @param about what follows the name: `12` in `delete-note/12` */
export type Actions = Readonly<Record<string, (about: string) => Action>>

/** A page with forms, which are sent to its own address. */
export interface FormPage<P extends TObject, Q extends TObject> {
  readonly params: P
  readonly querystring: Q
  readonly who?: 'signed in' | 'anyone'
  readonly show: (visit: Visit<P, Q>) => Promise<View>
  readonly actions: (visit: Visit<P, Q>) => Promise<Actions> | Actions
}

/**
 * The routes of a page with forms: showing it, and doing what a form says. A refusal of the API shows the page again, with what was typed
 * and what is wrong with it; also where the session had ended meanwhile.
 */
export function formPage<P extends TObject, Q extends TObject>(
  app: FastifyInstance,
  address: string,
  { params, querystring, who = 'anyone', show: write, actions }: FormPage<P, Q>,
): void {
  const visitOf = (request: FastifyRequest, refused?: Refused): Visit<P, Q> => ({
    request,
    api: new Api(request),
    params: read(params, request.params),
    query: read(querystring, request.query),
    forms: new Forms(request, refused),
  })
  /** What a form of the page shows now. */
  async function now(does: string, request: FastifyRequest) {
    const visit = visitOf(request)
    await write(visit)
    return visit.forms.shownBy(does)
  }
  /**
   * Does what somebody asks for: with a form that changes what is there, what they have changed.
   * @throws 409 if somebody else has changed the same meanwhile
   */
  async function done(request: FastifyRequest, sent: Sent, action: Action): Promise<Done> {
    const { does, parameters, shown, seen: texts } = sent
    return untilUnmodified(
      async () => shown && (await now(does, request)),
      async (current) => {
        const changed = shown === undefined ? parameters : changedIn(parameters, shown, current?.fields)
        if (shown !== undefined && Object.keys(changed).length === 0) return NOTHING
        return action(new Api(request), changed, { texts, updatedAt: current?.updatedAt })
      },
    )
  }
  app.get(
    address,
    {
      config: page(who),
      schema: { params, querystring },
      errorHandler: (thrown, request, reply) => void sendRefusal(thrown, request, reply),
    },
    async (request, reply) => show(request, reply, await write(visitOf(request))),
  )
  app.post(
    address,
    {
      config: {
        ...page('anyone'),
        ...anyParameters({ maxBytes: MOST_BYTES, maxCharacters: MOST_CHARACTERS }),
      },
      schema: { params, querystring },
      errorHandler: expired,
    },
    async (request, reply) => {
      if (request.identity === undefined) return offerAgain(request, reply)
      const sent = sentIn(request)
      const { does, typed, shown } = sent
      const [name = '', about = ''] = splitOnce(does)
      const known = await actions(visitOf(request))
      const action = Object.hasOwn(known, name) && does.length <= MOST_OF_DOES ? known[name] : undefined
      if (action === undefined) throw badRequest('there is no such form on this page')
      const changed = shown && changedOf(sent.parameters, shown)
      try {
        const { to, says, shows } = await done(request, sent, action(about))
        if (shows === undefined) return await leadTo(request, reply, to ?? request.originalUrl, says)
        const view = await write(visitOf(request))
        const scripts = [...(view.scripts ?? []), COPY_SCRIPT]
        return await show(request, reply, { ...view, scripts, body: html`${shows} ${view.body}` })
      } catch (error) {
        const refusal = refusalOf(error, request)
        if (refusal === undefined) throw error
        const visit = visitOf(request, { does, changed, typed, problems: refusal.problems })
        const view = await write(visit).catch((thrown: unknown) => withoutPage(thrown, request))
        const body = html`${visit.forms.unshown} ${view.body}`
        return show(request, reply.code(refusal.status), { ...view, body })
      }
    },
  )
}

/** In the place of a page that is no longer for whoever sent its form. */
function withoutPage(thrown: unknown, request: FastifyRequest): View {
  if (refusalOf(thrown, request) === undefined) throw thrown
  return {
    title: 'This was not done',
    body: html`<h1>This was not done</h1>
      <p>The page with this form is no longer for you. <a href="/">Back to the start</a></p>`,
  }
}

/** What the route has read of the address, with its type. */
function read<S extends TObject>(schema: S, value: unknown): Static<S> {
  if (!Check(schema, value)) throw new Error('the address was read by another schema')
  return value
}

/**
 * The parameters that whoever sent a form has changed. @param now what it shows now; undefined if the page has it no longer
 * @throws 409 if somebody else has changed the same meanwhile
 */
function changedIn(
  parameters: Sent['parameters'],
  shown: ShownFields,
  now: ShownFields = shown,
): Sent['parameters'] {
  if (isOvertaken(parameters, shown, now)) throw changedMeanwhile()
  const changed = changedOf(parameters, shown)
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => changed.has(name)))
}

const NOTHING: Done = { says: 'Nothing was changed.', to: undefined }

const splitOnce = (does: string): readonly string[] => /^([^/]*)\/?(.*)$/s.exec(does)?.slice(1) ?? []

/** A form of this instance whose session has ended is offered again: nothing that was typed is lost. */
function expired(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const isExpired = thrown instanceof NotAllowed && isOwnForm(request)
  void (isExpired ? offerAgain(request, reply) : sendRefusal(thrown, request, reply))
}
