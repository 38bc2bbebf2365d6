import type { ToolCall } from '../core/conversation.ts';
import type { ModelCall, ModelChunk, ModelRequest, ModelResponse, ModelSink, Provider } from '../core/provider.ts';
import { madeUpCallId } from './made-up-call-id.ts';
import { readTextCall } from './text-tools-call.ts';
import { textRequest } from './text-tools-request.ts';
import { TextToolScanner } from './text-tools-scanner.ts';

/**
 * A provider whose models can't call tools: they are told of the tools in the system message, and their calls are read
 * from what they write (docs/adr/0035-streamed-calls.md). To its caller it is like any other.
 */
export function withTextTools(provider: Provider): Provider {
  return {
    id: provider.id,
    call(request, sink) {
      const asked = textRequest(request);
      return request.tools.length === 0 ? provider.call(asked, sink) : callInText(provider, asked, { request, sink });
    },
  };
}

type Caller = { readonly request: ModelRequest; readonly sink: ModelSink };

/** Invariants: what is shown as text adds up to the answer's text, and after `abort` nothing is delivered. */
function callInText(provider: Provider, asked: ModelRequest, { request, sink }: Caller): ModelCall {
  let isOpen = true;
  let text = '';
  let read = 0;
  /** Why a block that is still open at the end is no call. */
  let cut: string | undefined;
  const calls: ToolCall[] = [];
  const tell = (chunk: ModelChunk): void => {
    if (isOpen) sink.chunk(chunk);
  };
  const scanner = new TextToolScanner({
    text(piece) {
      text += piece;
      tell({ type: 'text', text: piece });
    },
    block(block) {
      const index = calls.length;
      const id = madeUpCallId(request, index);
      const { call, isSound } = readTextCall(block, { id, cut });
      calls.push(call);
      tell({ type: 'tool_call', index, name: call.name, json: block.body });
      if (isSound) tell({ type: 'tool_ready', call });
    },
  });
  const call = provider.call(asked, {
    chunk(chunk) {
      if (chunk.type !== 'text') return tell(chunk);
      read += chunk.text.length;
      scanner.push(chunk.text);
    },
    done(response) {
      cut =
        response.finishReason === 'length' ? 'the answer reached its limit before the block had its end' : undefined;
      // A script may stream nothing of its text.
      scanner.push(response.text.slice(read));
      scanner.finish();
      if (isOpen) sink.done(withCalls(response, text, calls));
    },
    failed(failure) {
      scanner.breakOff();
      sink.failed(failure);
    },
  });
  return {
    abort() {
      isOpen = false;
      return call.abort();
    },
  };
}

function withCalls(response: ModelResponse, text: string, calls: readonly ToolCall[]): ModelResponse {
  const hasCalls = calls.length > 0 && response.finishReason === 'stop';
  return {
    ...response,
    text,
    toolCalls: [...response.toolCalls, ...calls],
    finishReason: hasCalls ? 'tool_calls' : response.finishReason,
  };
}
