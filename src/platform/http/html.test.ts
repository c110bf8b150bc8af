import { describe, expect, test } from 'vitest'
import { escapeHtml, html, prose } from './html.ts'

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

  test('every special character of a text is escaped, wherever it stands', () => {
    expect(escapeHtml(`<a href="x">'&amp;'</a>`)).toBe(
      '&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;&#39;&lt;/a&gt;',
    )
    expect(escapeHtml('plain')).toBe('plain')
  })

  test('the indentation of a template is left out, that of values stays', () => {
    const page = (text: string) =>
      html`<pre>${text}</pre>
        <p></p>`.text
    expect(page('a\n    b')).toBe('<pre>a\n    b</pre>\n<p></p>')
    expect(page('c')).toBe('<pre>c</pre>\n<p></p>')
  })

  test('backticks are code, a lonely one is itself', () => {
    expect(prose('a `b` c').text).toBe('a <code>b</code> c')
    expect(prose('a ` c').text).toBe('a ` c')
  })
})
