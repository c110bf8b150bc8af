import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { readDocument } from '#platform/openapi/served.ts'
import type { OpenApi } from '#platform/openapi/document.ts'
import { type Reference, referenceOf } from './reference.ts'

const load = async (path: string, headers = {}) => {
  const response = await fetch(`${w.url}${path}`, { headers })
  return { response, text: await response.text() }
}

const operations = () =>
  Object.values(readDocument(w.running.app).paths)
    .flatMap((item) => Object.values(item))
    .map(({ operationId }) => operationId)

const linksIn = (text: string) =>
  [...text.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, to = '']) => to)
const idsIn = (text: string) => [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)

/** The index and all pages that it leads to, by their paths. */
async function everyPage(): Promise<Map<string, string>> {
  const pages = new Map([['/-/docs', (await load('/-/docs')).text]])
  for (const link of linksIn(pages.get('/-/docs') ?? '')) {
    const [path = ''] = link.split('#')
    if (path.startsWith('/-/docs/') && !pages.has(path)) pages.set(path, (await load(path)).text)
  }
  return pages
}

describe('GET /-/docs', () => {
  test('is a page that loads nothing but its stylesheet', async () => {
    for (const path of ['/-/docs', '/-/docs/labels', '/-/docs?q=label']) {
      const { response, text } = await load(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      )
      expect(text).not.toMatch(/<script|<img|<iframe|style="|\son\w+=|https?:\/\//)
      const elsewhere = linksIn(text).filter((to) => !/^(#|\/-\/docs|\/api\/v4\/openapi\.json$)/.test(to))
      expect(elsewhere).toEqual([])
    }
  })

  test('needs no credentials and looks at none; 304 to whoever has it', async () => {
    for (const path of ['/-/docs', '/-/docs/labels']) {
      const { response } = await load(path, { 'private-token': 'wrong' })
      expect(response.status).toBe(200)
      const again = await load(path, { 'if-none-match': response.headers.get('etag') ?? '' })
      expect(again.response.status).toBe(304)
    }
  })

  test('leads to every endpoint, and every link leads somewhere', async () => {
    const pages = await everyPage()
    const ids = new Map([...pages].map(([path, text]) => [path, new Set(idsIn(text))]))
    for (const [path, text] of pages) {
      expect(idsIn(text)).toHaveLength(ids.get(path)?.size ?? 0)
      const lost = linksIn(text).filter((link) => {
        const [to = '', anchor] = link.split('#')
        if (to.endsWith('.css') || to.endsWith('.json')) return false
        const there = ids.get(to === '' ? path : to)
        return there === undefined || (anchor !== undefined && !there.has(anchor))
      })
      expect(lost).toEqual([])
    }
    const described = [...pages].flatMap(([path, text]) => (path === '/-/docs' ? [] : idsIn(text)))
    expect(described).toEqual(expect.arrayContaining(operations()))
    expect([...(ids.get('/-/docs') ?? [])]).toEqual(expect.arrayContaining(operations()))
  })

  test('describes a resource before what happened to it', async () => {
    for (const [page, first] of [
      ['merge-requests', 'postApiV4ProjectsIdMergeRequests'],
      ['issues', undefined],
      ['epics', undefined],
    ] as const) {
      const { text } = await load(`/-/docs/${page}`)
      const ids = idsIn(text.slice(text.indexOf('<main'))).filter((id) =>
        /^(?:get|post|put|delete)Api/.test(id),
      )
      const events = ids.map((id) => /Resource\w+Events/.test(id))
      expect(events).toEqual(events.toSorted((one, other) => Number(one) - Number(other)))
      if (first !== undefined) expect(ids.slice(0, 4)).toContain(first)
    }
  })

  test('leads to the guides, as they are written', async () => {
    const { text } = await load('/-/docs')
    const links = linksIn(text).filter((to) => to.startsWith('/-/docs/guides/'))
    expect(links.length).toBeGreaterThan(40)
    const guide = await load('/-/docs/guides/upgrading.md')
    expect(guide.response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(guide.text).toMatch(/^# Upgrade to another version\n/)
    for (const name of ['absent.md', '..%2Ftesting.md', 'upgrading'])
      expect((await load(`/-/docs/guides/${name}`)).response.status).toBe(404)
  })

  test('404 for a page that does not exist', async () => {
    expect((await load('/-/docs/nothing')).response.status).toBe(404)
  })

  test('has landmarks and one first heading', async () => {
    for (const path of ['/-/docs', '/-/docs/labels', '/-/docs/schemas', '/-/docs?q=label']) {
      const { text } = await load(path)
      expect(text).toMatch(/<html lang="en">/)
      expect(text.match(/<h1[ >]/g)).toHaveLength(1)
      for (const landmark of [
        /<main id="content"/,
        /<nav aria-label="/,
        /<form role="search"/,
        /<header>/,
        /class="skip" href="#content"/,
      ]) {
        expect(text).toMatch(landmark)
      }
    }
  })

  test('the stylesheet is CSS and asks for nothing', async () => {
    const { response, text } = await load('/-/docs.css')
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(text).not.toMatch(/url\(|@import|https?:/)
  })
})

describe('a search of the reference', () => {
  const find = async (q: string) => {
    const { response, text } = await load(`/-/docs?q=${encodeURIComponent(q)}`)
    expect(response.status).toBe(200)
    return { text, found: linksIn(text.slice(text.indexOf('<main'))) }
  }

  test('finds what has all words, in path, summary, description or parameters; in any case', async () => {
    const { found } = await find('LABELS promote')
    expect(found[0]).toBe('/-/docs/labels#putApiV4ProjectsIdLabelsLabelIdPromote')
    const byParameter = await find('with_counts')
    expect(byParameter.found).toContain('/-/docs/labels#getApiV4ProjectsIdLabels')
    expect((await find('labels nothing-has-this')).text).toContain('0 endpoints found')
  })

  test.each([
    ['create a merge request', '/-/docs/merge-requests#postApiV4ProjectsIdMergeRequests'],
    ['how to delete an issue', '/-/docs/issues#deleteApiV4ProjectsIdIssuesIssueIid'],
    ['edit label', '/-/docs/labels#putApiV4ProjectsIdLabels'],
    ['projects merge_requests', '/-/docs/merge-requests#getApiV4ProjectsIdMergeRequests'],
  ])('finds %s among the first, by words and verbs of the same meaning', async (text, link) => {
    expect((await find(text)).found.slice(0, 4)).toContain(link)
  })

  test('shows the index to whoever seeks nothing', async () => {
    expect((await load('/-/docs?q=%20')).text).toBe((await load('/-/docs')).text)
  })

  test('finds every endpoint by its id and by its path', () => {
    const { search } = referenceOf(readDocument(w.running.app))
    for (const [path, item] of Object.entries(readDocument(w.running.app).paths)) {
      const found = search(path)
      for (const { operationId } of Object.values(item)) {
        expect(found).toContain(`#${operationId}"`)
        expect(search(operationId)).toContain(`#${operationId}"`)
      }
    }
  })

  test('writes what was sought as text, and refuses what is too long', async () => {
    const { text } = await find('"><script>')
    expect(text).not.toContain('<script')
    expect((await load(`/-/docs?q=${'a'.repeat(256)}`)).response.status).toBe(400)
  })
})

describe('the reference page', () => {
  const page = ({ index, pages, search }: Reference) =>
    [index, ...pages.values(), search('things')].join('\n')

  const hostile = '<script>alert("x")</script>\'"&'
  const document: OpenApi = {
    ...readDocument(w.running.app),
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
    const text = page(referenceOf(document))
    expect(text).not.toContain('<script')
    expect(text).not.toContain('"x"')
    expect(text).toContain('&lt;script&gt;alert(&quot;x&quot;)')
  })

  test('shows parameters, nested fields and a request with curl', () => {
    const text = page(referenceOf(document))
    expect(text).toContain('<code>kinds[]</code>')
    expect(text).toContain('array of string')
    expect(text).toContain('<code>author.id</code>')
    expect(text).toContain('--data &#39;{&quot;name&quot;:&quot;name&quot;}&#39;')
    expect(text).toContain('&quot;$FORGELET/api/v4/things/1&quot;')
  })
})
