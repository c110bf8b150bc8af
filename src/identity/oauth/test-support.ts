import * as oauth from 'oauth4webapi'
import { createApplication, type NewApplication } from '#identity/applications/create-application.ts'
import type { Answer } from '#test/client.ts'
import { unique, w } from '#test/world.ts'

/** A standard client library would refuse http. */
export const options = { [oauth.allowInsecureRequests]: true }

export const CALLBACK = 'https://app.example/callback?from=test'

/** What the server says of itself, as the library reads it. */
export async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(w.url)
  const answer = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
  return oauth.processDiscoveryResponse(issuer, answer)
}

/** An application of the instance unless somebody owns it, with what the library needs of it. */
export async function application(
  changes: Partial<NewApplication> = {},
  owner: { readonly id: number; readonly admin: boolean } | null = null,
) {
  const made = await w.write((tx) =>
    createApplication(
      tx,
      { name: unique('App'), redirect_uri: CALLBACK, scopes: 'api read_api read_user sudo', ...changes },
      owner,
    ),
  )
  return {
    ...made,
    client: { client_id: made.uid },
    auth: made.confidential ? oauth.ClientSecretBasic(made.secret) : oauth.None(),
  }
}

export type TestApplication = Awaited<ReturnType<typeof application>>

/** A form post of a client, without the library: for what it would never send. */
export function post(
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
) {
  return w.anonymous.send('POST', `${w.url}/oauth/${path}`, { form: new URLSearchParams(form), headers })
}

/** The same, with the application's credentials in the form. */
export function postAs(app: TestApplication, path: string, form: Readonly<Record<string, string>>) {
  const secret = app.confidential ? { client_secret: app.secret } : {}
  return post(path, { client_id: app.uid, ...secret, ...form })
}

/** A browser in which somebody is signed in: pages by GET, their forms by POST. */
export class Browser {
  readonly #cookie: string
  private constructor(cookie: string) {
    this.#cookie = cookie
  }

  static async of(user: { id: number }): Promise<Browser> {
    return new Browser((await w.session(user)).cookie)
  }

  get(path: string): Promise<Answer> {
    return w.anonymous.send('GET', `${w.url}${path}`, { headers: { cookie: this.#cookie } })
  }

  post(path: string, form: Readonly<Record<string, string>>): Promise<Answer> {
    return w.anonymous.send('POST', `${w.url}${path}`, {
      form: new URLSearchParams(form),
      headers: { cookie: this.#cookie },
    })
  }

  /** Sends the form of a page, with its hidden fields. */
  submit(page: Answer, form: Readonly<Record<string, string>>): Promise<Answer> {
    const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? ''
    return this.post(action, { ...hiddenIn(page), ...form })
  }
}

/** The hidden fields of a page's form. */
export function hiddenIn({ text }: Answer): Record<string, string> {
  const fields = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, unescape(value)]))
}

const unescape = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** The path of an authorization request; undefined takes a parameter away. */
export function authorizePath(
  app: TestApplication,
  changes: Record<string, string | undefined> = {},
): string {
  const all = {
    client_id: app.uid,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'api',
    state: 'the state',
    ...changes,
  }
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `/oauth/authorize?${new URLSearchParams(given).toString()}`
}

/** Where an answer sends the browser. */
export function sentTo(answer: Answer): URL {
  return new URL(answer.headers.get('location') ?? 'none:')
}

/** Somebody who agrees to what an application asks, until there is a code. */
export async function consent(
  app: TestApplication,
  user: { id: number },
  changes: Record<string, string | undefined> = {},
): Promise<{ code: string; verifier: string; callback: URL }> {
  const verifier = oauth.generateRandomCodeVerifier()
  const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const browser = await Browser.of(user)
  const path = authorizePath(app, { code_challenge, code_challenge_method: 'S256', ...changes })
  const page = await browser.get(path)
  const answer = page.status === 200 ? await browser.submit(page, { decision: 'authorize' }) : page
  const callback = sentTo(answer)
  return { code: callback.searchParams.get('code') ?? '', verifier, callback }
}

/** Tokens by the authorization code grant, through the library. */
export async function signIn(
  app: TestApplication,
  user: { id: number },
  scope = 'api',
): Promise<oauth.TokenEndpointResponse & { refresh_token: string }> {
  const as = await discover()
  const { verifier, callback } = await consent(app, user, { scope })
  const parameters = oauth.validateAuthResponse(as, app.client, callback, 'the state')
  const answer = await oauth.authorizationCodeGrantRequest(
    as,
    app.client,
    app.auth,
    parameters,
    CALLBACK,
    verifier,
    options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, app.client, answer)
  return { ...tokens, refresh_token: tokens.refresh_token ?? '' }
}

export const exchange = (app: TestApplication, code: string, more: Readonly<Record<string, string>> = {}) =>
  postAs(app, 'token', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...more })

export const refresh = (app: TestApplication, token: string, more: Readonly<Record<string, string>> = {}) =>
  postAs(app, 'token', { grant_type: 'refresh_token', refresh_token: token, ...more })

/** Whether the API takes a token: 200 or why not. */
export const statusWith = async (token: string) =>
  (await w.anonymous.with({ authorization: `Bearer ${token}` }).get('/user')).status

/** The facts about an application, by name. */
export async function factsAbout(app: { readonly id: number }): Promise<string[]> {
  const rows = await w.db
    .selectFrom('facts')
    .select('name')
    .where('target_type', '=', 'Application')
    .where('target_id', '=', app.id)
    .orderBy('id')
    .execute()
  return rows.map(({ name }) => name)
}
