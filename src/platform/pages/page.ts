import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '#platform/http/html.ts'
import { meaningOf } from '#platform/http/errors.ts'
import { CSRF_FIELD, csrfTokenFor, SIGN_IN, SIGN_OUT, signInUrl } from '#platform/http/browser-sessions.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import { accountLinks, pages } from './links.ts'
import { takeNotice } from './notice.ts'

/** The path of the stylesheet of all pages. */
export const STYLESHEET = '/-/pages.css'
/** What browsers show beside the title. */
export const ICON = '/-/icon.svg'
/** The script that lets buttons copy the content of a field. */
export const COPY_SCRIPT = '/-/copy.js'

/**
 * Allows our own stylesheet and scripts, and forms to this instance; no frame, no inline script or style, no other
 * host.
 */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Links to places for the header of all pages, which a higher district knows. */
export const pageNavigation = new ExtensionPoint<(request: FastifyRequest) => Promise<Html>>(
  'the navigation of pages',
)

/** What stands above every page that somebody looks at. */
export const pageMessages = new ExtensionPoint<(request: FastifyRequest) => Promise<Html>>(
  'messages above pages',
)

export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** Where its forms may lead besides this instance: a consent page redirects to the application. */
  readonly formAction?: string
  /** The scripts of this instance that it uses. */
  readonly scripts?: readonly string[]
  /** Whether its scripts ask this instance for something. */
  readonly asks?: true
  /** Where the browser goes on automatically. */
  readonly goesTo?: string
  /** The header of what the page is about. */
  readonly place?: Html
  /** The address of a feed of what it shows. */
  readonly feed?: string
  /** It takes the whole width. */
  readonly wide?: true
}

/** Sends a page. Browsers and proxies never store it, because it may be private. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
): Promise<FastifyReply> {
  const { status = reply.statusCode, formAction, asks } = page
  const policy = asks === true ? `${POLICY}; connect-src 'self'` : POLICY
  const actions = formAction === undefined ? "'self'" : `'self' ${formAction}`
  const [navigation, messages] = await Promise.all(
    [pageNavigation, pageMessages].map(({ entries }) => aroundPage(request, status, entries)),
  )
  const notice = status < 300 ? takeNotice(request, reply) : undefined
  return (
    reply
      .code(status)
      .header('content-security-policy', `${policy}; form-action ${actions}`)
      .header('cache-control', 'no-store')
      // With a stricter policy, browsers would not tell us either where a form comes from.
      .header('referrer-policy', 'same-origin')
      .type('text/html; charset=utf-8')
      .send(layout(request, page, { navigation, messages, notice }).text)
  )
}

/** None where the server has enough to do, and where it cannot be asked for. */
async function aroundPage(
  request: FastifyRequest,
  status: number,
  writers: readonly ((request: FastifyRequest) => Promise<Html>)[],
): Promise<readonly Html[]> {
  if (status === 429 || status >= 500) return []
  try {
    return await Promise.all(writers.map((write) => write(request)))
  } catch (error) {
    request.log.warn({ err: error }, 'a page lacks its navigation or messages')
    return []
  }
}

/** The hidden field that every form has. */
export function csrfField(request: FastifyRequest): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${csrfTokenFor(request)}" />`
}

/** Turns refusals of the routes below `app` into pages instead of JSON. */
export function answerWithPages(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendRefusal(error, request, reply))
}

/** The page for a refusal or a failure. 303 redirects to another page. */
export async function sendRefusal(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const known = meaningOf(error, request)
  if (known === undefined) request.log.error({ err: error }, 'request failed')
  const status = known?.status ?? 500
  if (known !== undefined) reply.headers(known.headers)
  if (status === 303) return reply.code(303).header('cache-control', 'no-store').send()
  const { title, advice } = refusalOf(status, request)
  const body = html`<h1>${title}</h1>
    <p>${reasonOf(known?.body) ?? waitFor(known?.headers['retry-after']) ?? advice}</p>
    <p><a href="/">Back to the start</a></p>`
  return sendPage(request, reply, { title, body, status })
}

interface Refusal {
  readonly title: string
  readonly advice: string
}

const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { title: 'The request cannot be read', advice: 'Please go back and check what you entered.' },
  403: { title: 'Not allowed', advice: 'Please go back, reload the page and try again.' },
  404: { title: 'Not found', advice: 'There is nothing here, or nothing that you may see.' },
  408: { title: 'Too slow', advice: 'The form did not arrive in time. Please try again.' },
  413: { title: 'Too large', advice: 'Please go back and enter less.' },
  429: { title: 'Too many attempts', advice: 'Please wait before you try again.' },
  500: { title: 'Something went wrong', advice: 'The error was logged. Please try again later.' },
  503: { title: 'Not available now', advice: 'Please try again in a moment.' },
}

/** Who only reads sends no form: to load the page again changes nothing. */
function refusalOf(status: number, { method, identity }: FastifyRequest): Refusal {
  const refusal = REFUSALS[status] ?? { title: 'This did not work', advice: 'Please try again.' }
  if (method !== 'GET' && method !== 'HEAD') return refusal
  if (status === 403 && identity !== undefined) return { ...refusal, advice: NOT_IN_THIS_ROLE }
  if (status === 404 && identity === undefined) return { ...refusal, advice: PERHAPS_SIGNED_IN }
  return refusal
}

const NOT_IN_THIS_ROLE =
  'Your role does not allow this here. Those who manage the members of a project or group change roles.'
const PERHAPS_SIGNED_IN =
  'There is nothing here, or nothing that you may see. If you have an account, sign in: you may see more then.'

/** Describes `Retry-After` for people. */
function waitFor(seconds: string | undefined): string | undefined {
  if (seconds === undefined) return undefined
  const minutes = Math.ceil(Number(seconds) / 60)
  return `Please try again in ${minutes <= 1 ? 'a minute' : `${minutes} minutes`}.`
}

/** The reason in a refusal, without its number: `403 Forbidden - because`. */
function reasonOf(body: unknown): string | undefined {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined
  const because = typeof message === 'string' ? message.split(' - ').slice(1).join(' - ') : ''
  return because === '' ? undefined : `${because.charAt(0).toUpperCase()}${because.slice(1)}.`
}

/** What stands around a page. */
interface Around {
  readonly navigation: readonly Html[] | undefined
  readonly messages: readonly Html[] | undefined
  readonly notice: string | undefined
}

function layout(
  request: FastifyRequest,
  page: Page,
  { navigation = [], messages = [], notice }: Around,
): Html {
  const { title, body, scripts = [], goesTo, place, feed, wide } = page
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${goesTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${goesTo}" />`}
        <title>${title} · Forgelet</title>
        <link rel="icon" href="${ICON}" type="image/svg+xml" />
        <link rel="stylesheet" href="${STYLESHEET}" />
        ${feed !== undefined && html`<link rel="alternate" type="application/atom+xml" href="${feed}" />`}
        ${scripts.map((path) => html`<script type="module" src="${path}"></script>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <p class="brand"><a href="/">Forgelet</a></p>
          ${navigation.length > 0 && html`<nav class="places" aria-label="Places">${navigation}</nav>`}
          ${whoIsHere(request) ?? (navigation.length > 0 && signInLink(request))}
        </header>
        ${messages} ${place}
        <div class="columns${wide === true && ' wide'}">
          ${wide !== true && menu(request)}
          <main id="content" tabindex="-1">
            ${notice !== undefined && html`<p class="notice" role="status" tabindex="-1" autofocus>${notice}</p>`}
            ${body}
          </main>
        </div>
      </body>
    </html>`
}

function signInLink(request: FastifyRequest): Html | undefined {
  const isThere = request.originalUrl.split('?', 1)[0] === SIGN_IN
  return isThere ? undefined : html`<a href="${signInUrl(request)}">Sign in</a>`
}

function whoIsHere(request: FastifyRequest): Html | undefined {
  const user = request.identity?.user
  if (user === undefined) return undefined
  return html`<form class="who" method="post" action="${SIGN_OUT}">
    ${csrfField(request)}
    <a href="${pages.account}"><span class="unseen">Your account: </span><strong>${user.username}</strong></a>
    <button type="submit" class="secondary">Sign out</button>
  </form>`
}

/** The menu on the pages of the account. Questions and refusals have none. */
function menu(request: FastifyRequest): Html | undefined {
  const [path] = (request.raw.url ?? '').split('?')
  const here = accountLinks.find((link) => path === link.path || path?.startsWith(`${link.path}/`))
  if (request.identity === undefined || (here === undefined && path !== pages.account)) return undefined
  return html`<nav aria-label="Your account">
    <ul>
      ${[{ path: pages.account, title: 'Overview' }, ...accountLinks].map(
        (link) =>
          html`<li>
            <a href="${link.path}" ${link.path === (here?.path ?? pages.account) && html`aria-current="page"`}
              >${link.title}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`
}
