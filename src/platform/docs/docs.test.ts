import { describe, expect, test } from 'vitest'
import { w } from '../../../test/world.ts'
import { readDocument } from '#platform/openapi/checked-in.ts'
import type { OpenApi } from '#platform/openapi/document.ts'
import { referencePage } from './page.ts'

const load = async (path: string, headers = {}) => {
  const response = await fetch(`${w.url}${path}`, { headers })
  return { response, text: await response.text() }
}

describe('GET /-/docs', () => {
  test('is a page that loads nothing but its stylesheet', async () => {
    const { response, text } = await load('/-/docs')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(text).not.toMatch(/<script|<img|<iframe|style="|\son\w+=|https?:\/\//)
    const targets = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
    expect(
      targets.filter((target) => !/^(#|\/-\/docs\.css$|\/api\/v4\/openapi\.json$)/.test(target)),
    ).toEqual([])
  })

  test('needs no credentials and looks at none; 304 to whoever has it', async () => {
    const { response } = await load('/-/docs', { 'private-token': 'wrong' })
    expect(response.status).toBe(200)
    const again = await load('/-/docs', { 'if-none-match': response.headers.get('etag') ?? '' })
    expect(again.response.status).toBe(304)
  })

  test('has every endpoint, and every link leads somewhere', async () => {
    const { text } = await load('/-/docs')
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    const operations = Object.values(readDocument().paths).flatMap((item) => Object.values(item))
    expect(ids).toEqual(expect.arrayContaining(operations.map(({ operationId }) => operationId)))
    expect(new Set(ids).size).toBe(ids.length)
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.filter((id) => !ids.includes(id))).toEqual([])
  })

  test('has landmarks and one first heading', async () => {
    const { text } = await load('/-/docs')
    expect(text).toMatch(/<html lang="en">/)
    expect(text.match(/<h1>/g)).toHaveLength(1)
    for (const landmark of [
      /<main id="content"/,
      /<nav aria-label="/,
      /<header>/,
      /class="skip" href="#content"/,
    ]) {
      expect(text).toMatch(landmark)
    }
  })

  test('the stylesheet is CSS and asks for nothing', async () => {
    const { response, text } = await load('/-/docs.css')
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(text).not.toMatch(/url\(|@import|https?:/)
  })
})

describe('the reference page', () => {
  const hostile = '<script>alert("x")</script>\'"&'
  const document: OpenApi = {
    ...readDocument(),
    tags: [{ name: 'Things', description: hostile }],
    paths: {
      '/things/{id}': {
        post: {
          operationId: 'postThings',
          tags: ['Things'],
          summary: hostile,
          description: `${hostile} and \`${hostile}\``,
          parameters: [
            { name: 'id', in: 'path', required: true, description: hostile, schema: { type: 'integer' } },
            {
              name: 'kinds[]',
              in: 'query',
              schema: { type: 'array', items: { type: 'string', enum: [hostile] } },
            },
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['name'],
                  properties: {
                    name: { type: 'string', default: hostile },
                    author: { type: 'object', properties: { id: { type: 'integer', description: hostile } } },
                  },
                },
              },
            },
          },
          responses: { 201: { description: hostile } },
        },
      },
    },
  }

  test('escapes whatever stands in the document', () => {
    const page = referencePage(document)
    expect(page).not.toContain('<script')
    expect(page).not.toContain('"x"')
    expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)')
  })

  test('shows parameters, nested fields and a request with curl', () => {
    const page = referencePage(document)
    expect(page).toContain('<code>kinds[]</code>')
    expect(page).toContain('array of string')
    expect(page).toContain('<code>author.id</code>')
    expect(page).toContain('--data &#39;{&quot;name&quot;:&quot;name&quot;}&#39;')
    expect(page).toContain('&quot;$FORGELET/api/v4/things/1&quot;')
  })
})
