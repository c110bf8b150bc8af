import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '#http/html.ts'
import { meaningOf } from '#http/errors.ts'
import { CSRF_FIELD, csrfTokenFor } from '#http/visitors.ts'

/** Where the stylesheet of all pages is. */
export const STYLESHEET = '/-/pages.css'

/** Own stylesheet and scripts, forms to this instance; no frame, no inline script or style, no other host. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** Where its forms may lead besides this instance: a consent page sends people on to the application. */
  readonly formAction?: string
}

/** Sends a page; never kept by browsers or proxies, since it may hold what one person alone may see. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, body, status = 200, formAction }: Page,
): FastifyReply {
  const actions = formAction === undefined ? "'self'" : `'self' ${formAction}`
  return reply
    .code(status)
    .header('content-security-policy', `${POLICY}; form-action ${actions}`)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(layout(request, title, body).text)
}

/** The hidden field that every form has. */
export function csrfField(request: FastifyRequest): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${csrfTokenFor(request)}" />`
}

/** Makes refusals of the routes below `app` pages instead of JSON. */
export function answerWithPages(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const known = meaningOf(error, request)
    if (known === undefined) request.log.error({ err: error }, 'request failed')
    const status = known?.status ?? 500
    if (known !== undefined) reply.headers(known.headers)
    if (status === 303) return reply.code(303).send()
    const { title, advice } = REFUSALS[status] ?? { title: 'This did not work', advice: 'Please try again.' }
    const body = html`<h1>${title}</h1>
      <p>${reasonOf(known?.body) ?? advice}</p>
      <p><a href="/">Back to the start</a></p>`
    return sendPage(request, reply, { title, body, status })
  })
}

const REFUSALS: Readonly<Record<number, { readonly title: string; readonly advice: string }>> = {
  400: { title: 'The request cannot be read', advice: 'Please go back and check what you entered.' },
  403: { title: 'Not allowed', advice: 'Please go back, reload the page and try again.' },
  404: { title: 'Not found', advice: 'There is nothing here, or nothing that you may see.' },
  429: { title: 'Too many attempts', advice: 'Please wait a minute before you try again.' },
  500: { title: 'Something went wrong', advice: 'The error was logged. Please try again later.' },
  503: { title: 'Not available now', advice: 'Please try again in a moment.' },
}

/** What a refusal says beyond its number: `403 Forbidden - because`. */
function reasonOf(body: unknown): string | undefined {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined
  const because = typeof message === 'string' ? message.split(' - ').slice(1).join(' - ') : ''
  return because === '' ? undefined : `${because.charAt(0).toUpperCase()}${because.slice(1)}.`
}

function layout(request: FastifyRequest, title: string, body: Html): Html {
  const user = request.identity?.user
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Forgelet</title>
        <link rel="stylesheet" href="${STYLESHEET}" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <p class="brand"><a href="/">Forgelet</a></p>
          ${user && html`<p>Signed in as <strong>${user.username}</strong></p>`}
        </header>
        <main id="content">${body}</main>
      </body>
    </html>`
}
