import { options, render, type VNode } from 'preact'
import { App } from './app.js'
import { visible } from './format/text.js'
import { connect } from './live/live.js'

// Escapes invisible characters in all texts and tooltips, because other programs supply the data.
const { vnode: next } = options
options.vnode = (node: { type: unknown; props: unknown }) => {
  // A text node has no type, and its props are the string.
  if (typeof node.props === 'string') node.props = visible(node.props)
  const props = node.props as { title?: unknown } | null
  if (typeof node.type === 'string' && typeof props?.title === 'string') props.title = visible(props.title)
  next?.(node as VNode)
}

connect()
render(<App />, document.body)
