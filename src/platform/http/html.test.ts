import { describe, expect, test } from 'vitest'
import { html, prose } from './html.ts'

describe('html', () => {
  test('escapes values but not what is HTML already', () => {
    const name = '<b>'
    expect(html`<p title="${name}">${[html`<i>${name}</i>`, false, undefined, 3]}</p>`.text).toBe(
      '<p title="&lt;b&gt;"><i>&lt;b&gt;</i>3</p>',
    )
  })

  test('keeps values inside quotes of either kind', () => {
    const value = `" onclick="x' onfocus='y&`
    expect(html`<i title="${value}"></i>`.text).toBe(
      '<i title="&quot; onclick=&quot;x&#39; onfocus=&#39;y&amp;"></i>',
    )
  })

  test('the text of HTML is text again', () => {
    expect(html`<p>${html`<b></b>`.text}</p>`.text).toBe('<p>&lt;b&gt;&lt;/b&gt;</p>')
  })

  test('what only looks like HTML is refused', () => {
    const texts = ['<p>', '</p>']
    const put = () => void Reflect.apply(html, undefined, [texts, { text: '<script>' }])
    expect(put).toThrow(TypeError)
  })

  test('backticks are code, a lonely one is itself', () => {
    expect(prose('a `b` c').text).toBe('a <code>b</code> c')
    expect(prose('a ` c').text).toBe('a ` c')
  })
})
