// Runs in browsers: offers an editor of code in the place of a plain field. It is loaded when somebody asks for it, and from
// then on wherever there is such a field, until they ask for plain fields again.
import type { CodeEditor } from './code-editor.island.ts'

const KEY = 'editor of code'

const isWanted = (): boolean => {
  try {
    return localStorage.getItem(KEY) === 'code'
  } catch {
    return false // The browser keeps nothing.
  }
}

function want(which: 'code' | 'plain'): void {
  try {
    localStorage.setItem(KEY, which)
  } catch {
    // Asked for again on the next page.
  }
}

function offerEditor(area: HTMLTextAreaElement): void {
  const button = document.createElement('button')
  const said = document.createElement('p')
  button.type = 'button'
  button.className = 'secondary'
  said.className = 'hint'
  said.role = 'status'
  area.after(said, button)
  let editor: CodeEditor | undefined
  const show = () => {
    button.textContent = editor === undefined ? 'Edit with colors' : 'Edit as plain text'
    said.textContent = editor === undefined ? '' : 'Tab indents. Press Escape, then Tab, to leave the editor.'
  }
  const open = async () => {
    button.disabled = true
    try {
      const { openEditor } = await import('./code-editor.island.ts')
      editor = openEditor(area)
      show()
    } catch {
      said.textContent = 'The editor cannot be loaded right now. The plain field has your text.'
    }
    button.disabled = false
  }
  show()
  button.addEventListener('click', () => {
    if (editor === undefined) {
      want('code')
      void open().then(() => editor?.focus())
      return
    }
    want('plain')
    editor.close()
    editor = undefined
    show()
    area.focus()
  })
  if (isWanted()) void open()
}

for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-code]')) offerEditor(area)
