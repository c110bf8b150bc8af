// Runs in browsers: CodeMirror in the place of a field. It makes text of what it shows, never elements of it.
import { indentWithTab } from '@codemirror/commands'
import { HighlightStyle, indentUnit, LanguageDescription, syntaxHighlighting } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { Compartment, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup } from 'codemirror'

export interface CodeEditor {
  focus(): void
  /** Shows the field again, with what was written. */
  close(): void
}

/** The colors of the stylesheet, which tells light from dark. */
const colors = HighlightStyle.define([
  { tag: [tags.comment, tags.quote, tags.meta], color: 'var(--quiet)' },
  { tag: [tags.keyword, tags.bool, tags.null, tags.tagName], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp, tags.inserted, tags.attributeName], color: 'var(--code-string)' },
  { tag: [tags.number, tags.variableName, tags.special(tags.string)], color: 'var(--code-value)' },
  {
    tag: [
      tags.heading,
      tags.typeName,
      tags.className,
      tags.propertyName,
      tags.function(tags.variableName),
      tags.link,
    ],
    color: 'var(--code-title)',
  },
  { tag: [tags.deleted, tags.invalid], color: 'var(--danger)' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.strong, tags.heading], fontWeight: '600' },
])

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--raised)', fontSize: '0.875rem', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--link)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'var(--raised)', borderColor: 'var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--page)' },
  '.cm-panels, .cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--raised)' },
})

const MODIFIERS: ReadonlySet<string> = new Set([
  'Alt',
  'AltGraph',
  'CapsLock',
  'Control',
  'Meta',
  'Shift',
  'Tab',
])

/**
 * After Escape, Tab leaves the editor until another key is pressed. By itself, CodeMirror waits two seconds for it, which some people need
 * longer than, and does not where Escape has closed a list of completions.
 */
const leaving = EditorView.domEventObservers({
  keydown(event, view) {
    if (event.key === 'Escape') view.setTabFocusMode(true)
    else if (!MODIFIERS.has(event.key)) view.setTabFocusMode(false)
  },
  mousedown: (_, view) => view.setTabFocusMode(false),
  blur: (_, view) => view.setTabFocusMode(false),
})

/** By how much the lines of a text are indented, as the first of them tells: `\t`, or some spaces. */
function indentOf(text: string): string {
  return /^(\t| {2,8})\S/m.exec(text)?.[1] ?? '  '
}

/**
 * Puts an editor in the place of a field. The field has the text again when its form is sent.
 *
 * It is in a shadow root, where its styles are sheets of objects: the page allows no style in its text.
 */
export function openEditor(area: HTMLTextAreaElement): CodeEditor {
  const place = document.createElement('div')
  place.className = 'editor'
  const root = place.attachShadow({ mode: 'open' })
  const language = new Compartment()
  const label = area.labels[0]?.textContent?.trim() ?? 'Content'
  const view = new EditorView({
    doc: area.value,
    selection: { anchor: area.selectionStart, head: area.selectionEnd },
    root,
    parent: root,
    extensions: [
      leaving,
      basicSetup,
      keymap.of([indentWithTab]),
      indentUnit.of(indentOf(area.value)),
      language.of([]),
      syntaxHighlighting(colors),
      look,
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    ],
  })
  // Who has begun to write goes on where they are.
  const isHere = document.activeElement === area
  area.after(place)
  area.hidden = true
  if (isHere) view.focus()

  const keep = () => {
    area.value = view.state.doc.toString()
  }
  const form = area.form
  form?.addEventListener('submit', keep, true)
  // Who comes back to the page finds the field as it was left.
  window.addEventListener('pagehide', keep)

  const field = form?.elements.namedItem(area.dataset['code'] ?? '')
  const named = field instanceof HTMLInputElement ? field : undefined
  const colorByName = async () => {
    const name = named?.value ?? ''
    const found = LanguageDescription.matchFilename(languages, name.slice(name.lastIndexOf('/') + 1))
    const extension: Extension = found === null ? [] : await found.load()
    view.dispatch({ effects: language.reconfigure(extension) })
  }
  const color = () => void colorByName().catch(() => {}) // Without colors it is an editor, too.
  named?.addEventListener('change', color)
  color()

  return {
    focus: () => view.focus(),
    close() {
      keep()
      form?.removeEventListener('submit', keep, true)
      window.removeEventListener('pagehide', keep)
      named?.removeEventListener('change', color)
      view.destroy()
      place.remove()
      area.hidden = false
    },
  }
}
