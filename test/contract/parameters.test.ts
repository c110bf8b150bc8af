import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('bodies', () => {
  const kinds: [
    string,
    (name: string) => {
      json?: unknown
      form?: URLSearchParams | FormData | string
      headers?: Record<string, string>
    },
  ][] = [
    ['JSON', (name) => ({ json: { name, color: 'red', priority: 3 } })],
    ['a form', (name) => ({ form: new URLSearchParams({ name, color: 'red', priority: '3' }) })],
    [
      'multipart',
      (name) => {
        const data = new FormData()
        for (const [key, value] of Object.entries({ name, color: 'red', priority: '3' }))
          data.append(key, value)
        return { form: data }
      },
    ],
    [
      'JSON with a charset',
      (name) => ({
        json: { name, color: 'red', priority: 3 },
        headers: { 'content-type': 'application/json; charset=utf-8' },
      }),
    ],
  ]
  test.each(kinds)('%s carries parameters', async (_, body) => {
    const { id, maintainer } = await w.project()
    const name = unique('label')
    const { status, body: label } = await maintainer.send('POST', `/projects/${id}/labels`, body(name))
    expect(status).toBe(201)
    expect(label).toMatchObject({ name, color: '#ff0000', priority: 3 })
  })

  test('the query string carries parameters of writes, too, and the body wins', async () => {
    const { id, maintainer } = await w.project()
    const path = `/projects/${id}/labels?name=from-query&color=%23aabbcc&priority=1`
    expect((await maintainer.post(path)).body).toMatchObject({ name: 'from-query', priority: 1 })
    expect((await maintainer.post(path, { name: 'from-body' })).body).toMatchObject({
      name: 'from-body',
      priority: 1,
    })
  })

  test('an empty JSON body means no parameters', async () => {
    const { id, maintainer } = await w.project()
    const headers = { 'content-type': 'application/json' }
    const answer = await maintainer.send('POST', `/projects/${id}/labels?name=x&color=red`, {
      headers,
      form: '',
    })
    expect(answer.status).toBe(201)
    expect((await maintainer.send('DELETE', `/projects/${id}/labels/x`, { headers, form: '' })).status).toBe(
      204,
    )
  })

  test('a GET may carry its parameters in a body', async () => {
    const { id, maintainer } = await w.project()
    await maintainer.post(`/projects/${id}/labels`, { name: 'one', color: 'red' })
    await maintainer.post(`/projects/${id}/labels`, { name: 'two', color: 'red' })
    const { request } = await import('node:http')
    const text = await new Promise<string>((resolve, reject) => {
      const req = request(
        `${w.url}/api/v4/projects/${id}/labels`,
        {
          method: 'GET',
          headers: {
            'private-token': maintainer.token,
            'content-type': 'application/json',
            'content-length': 16,
          },
        },
        (res) => res.setEncoding('utf8').on('data', resolve),
      )
      req.on('error', reject).end('{"search":"two"}')
    })
    expect(JSON.parse(text)).toMatchObject([{ name: 'two' }])
  })

  test('unreadable JSON is 400, an unknown content type 415, too much 413', async () => {
    const { id, maintainer } = await w.project()
    const send = (type: string, text: string) =>
      maintainer.send('POST', `/projects/${id}/labels`, { form: text, headers: { 'content-type': type } })
    const unreadable = await send('application/json', '{"name":')
    expect(unreadable.status).toBe(400)
    expect(unreadable.body.error).toMatch(/not valid JSON/)
    expect((await send('application/json', '["name"]')).status).toBe(400)
    const names = Array.from({ length: 5_001 }, (_, index) => [`name${index}`, 'x'])
    const many = await maintainer.send('POST', `/projects/${id}/issues`, {
      form: JSON.stringify({ title: 'x', ...Object.fromEntries(names) }),
      headers: { 'content-type': 'application/json' },
    })
    expect([many.status, many.body.error]).toEqual([400, 'more than 5000 parameters'])
    const unknown = await send('text/yaml', 'name: x')
    expect(unknown.status).toBe(415)
    expect(unknown.body).toEqual({ error: "The requested content-type 'text/yaml' is not supported." })
    const large = await send('application/json', JSON.stringify({ name: 'x'.repeat(9 * 1024 * 1024) }))
    expect(large.status).toBe(413)
    expect(large.body).toEqual({ message: '413 Request Entity Too Large' })
    expect((await send('multipart/form-data', 'x')).status).toBe(400)
    expect((await send('multipart/form-data; boundary=x', '--x\r\nnonsense')).status).toBe(400)
  })
})

describe('values', () => {
  test.each([
    ['true', true],
    ['false', false],
    ['1', true],
    ['0', false],
    ['t', true],
  ])('the boolean %s', async (given, expected) => {
    const { id, maintainer } = await w.project()
    const answer = await maintainer.send('POST', `/projects/${id}/labels`, {
      form: `name=x&color=red&archived=${given}`,
      headers: form,
    })
    expect(answer.body.archived).toBe(expected)
    const json = await maintainer.post(`/projects/${id}/labels`, { name: 'y', color: 'red', archived: given })
    expect(json.body.archived).toBe(expected)
  })

  test('unknown parameters are ignored', async () => {
    const { id, maintainer } = await w.project()
    const answer = await maintainer.post(`/projects/${id}/labels`, {
      name: 'x',
      color: 'red',
      nonsense: [1],
      __proto__: 2,
    })
    expect(answer.status).toBe(201)
  })

  test('what is missing is named: the first in the message, all in the error', async () => {
    const { id, maintainer } = await w.project()
    const { status, body } = await maintainer.post(`/projects/${id}/labels`, {})
    expect(status).toBe(400)
    expect(body).toEqual({
      message: '400 (Bad request) "name" not given',
      error: 'name is missing, color is missing',
    })
  })

  test('wrong types, values outside the set, blank and too long ones are named', async () => {
    const { id, maintainer } = await w.project()
    const label = { name: 'x', color: 'red' }
    const refused = async (given: object) =>
      (await maintainer.post(`/projects/${id}/labels`, { ...label, ...given })).body
    expect(await refused({ priority: 'high' })).toEqual({
      message: { priority: ['is invalid'] },
      error: 'priority is invalid',
    })
    expect(await refused({ priority: 1.5 })).toMatchObject({ error: 'priority is invalid' })
    expect(await refused({ priority: -1 })).toMatchObject({ error: 'priority does not have a valid value' })
    expect(await refused({ archived: 'maybe' })).toMatchObject({ error: 'archived is invalid' })
    expect(await refused({ name: ' ' })).toEqual({ message: { name: ['is empty'] }, error: 'name is empty' })
    expect(await refused({ name: { a: 1 } })).toMatchObject({ error: 'name is invalid' })
    expect(await refused({ name: 'a\0b' })).toMatchObject({ error: 'name is invalid' })
    expect(await refused({ name: 'x'.repeat(256) })).toMatchObject({
      message: { name: ['is too long (maximum is 255 characters)'] },
    })
    expect((await maintainer.get(`/projects/${id}/labels?per_page=x`)).body).toMatchObject({
      error: 'per_page is invalid',
    })
  })

  test('length is counted in characters, not in UTF-16 units', async () => {
    const { id, maintainer } = await w.project()
    const answer = await maintainer.post(`/projects/${id}/labels`, { name: '🐛'.repeat(255), color: 'red' })
    expect(answer.status).toBe(201)
    expect(
      (await maintainer.post(`/projects/${id}/labels`, { name: '🐛'.repeat(256), color: 'red' })).status,
    ).toBe(400)
  })

  test('at least one of several must be given', async () => {
    const { id, maintainer } = await w.project()
    await maintainer.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })
    const { status, body } = await maintainer.put(`/projects/${id}/labels/x`, {})
    expect(status).toBe(400)
    expect(body.error).toBe(
      'new_name, color, description, archived, priority are missing, at least one parameter must be provided',
    )
  })

  test('a plus in a query is a space, %2B a plus', async () => {
    const { id, maintainer } = await w.project()
    await maintainer.post(`/projects/${id}/labels`, { name: 'a b', color: 'red' })
    await maintainer.post(`/projects/${id}/labels`, { name: 'a+b', color: 'red' })
    const names = async (search: string) =>
      (await maintainer.get(`/projects/${id}/labels?search=${search}`)).body.map(
        (label: { name: string }) => label.name,
      )
    expect(await names('a+b')).toEqual(['a b'])
    expect(await names('a%2Bb')).toEqual(['a+b'])
  })

  test('names that contradict each other are 400', async () => {
    const { id, maintainer } = await w.project()
    expect((await maintainer.get(`/projects/${id}/labels?a=1&a[b]=2`)).status).toBe(400)
    expect(
      (await maintainer.get(`/projects/${id}/labels?${'a[b]'.repeat(1)}${'[c]'.repeat(40)}=1`)).status,
    ).toBe(400)
  })
})
