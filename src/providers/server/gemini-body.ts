import type {
  Content,
  FunctionCall,
  FunctionDeclaration,
  FunctionResponse,
  GenerateContentConfig,
  Part,
  Tool,
} from '@google/genai/web';
import * as z from 'zod';
import { unread, type FieldNames, type Fields } from './fields.ts';

const functionCall = z.strictObject({
  id: z.string().exactOptional(),
  name: z.string().min(1),
  args: z.record(z.string(), z.unknown()).exactOptional(),
} satisfies Omit<FieldNames<FunctionCall>, 'partialArgs' | 'willContinue'>);

const functionResponse = z.strictObject({
  id: z.string().exactOptional(),
  name: z.string().min(1),
  response: z.record(z.string(), z.unknown()).exactOptional(),
  parts: unread(),
  scheduling: unread(),
  willContinue: unread(),
} satisfies Fields<FunctionResponse>);

const part = z.strictObject({
  text: z.string().exactOptional(),
  thought: z.boolean().exactOptional(),
  thoughtSignature: z.string().exactOptional(),
  functionCall: functionCall.exactOptional(),
  functionResponse: functionResponse.exactOptional(),
  audioTranscription: unread(),
  codeExecutionResult: unread(),
  executableCode: unread(),
  fileData: unread(),
  inlineData: unread(),
  mediaProcessing: unread(),
  mediaResolution: unread(),
  partMetadata: unread(),
  speechMetadata: unread(),
  toolCall: unread(),
  toolResponse: unread(),
  videoMetadata: unread(),
} satisfies Fields<Part>);

const content = z.strictObject({
  role: z.string().exactOptional(),
  parts: z.array(part).exactOptional(),
} satisfies Fields<Content>);

const tool = z.strictObject({
  functionDeclarations: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/, 'Invalid function name'),
        description: z.string().exactOptional(),
        parameters: unread(),
        parametersJsonSchema: unread(),
        behavior: unread(),
        response: unread(),
        responseJsonSchema: unread(),
      } satisfies Fields<FunctionDeclaration>),
    )
    .exactOptional(),
  codeExecution: unread(),
  computerUse: unread(),
  fileSearch: unread(),
  googleMaps: unread(),
  googleSearch: unread(),
  googleSearchRetrieval: unread(),
  mcpServers: unread(),
  urlContext: unread(),
} satisfies Omit<FieldNames<Tool>, 'retrieval' | 'enterpriseWebSearch' | 'exaAiSearch' | 'parallelAiSearch'>);

/** The SDK keeps these to itself, or sends them to Google's other API alone. */
type NotSent =
  | 'abortSignal'
  | 'audioTimestamp'
  | 'automaticContinuation'
  | 'automaticFunctionCalling'
  | 'generationOutputConfig'
  | 'httpOptions'
  | 'modelArmorConfig'
  | 'modelSelectionConfig'
  | 'routingConfig';

/** What stands beside the contents. */
const beside = {
  systemInstruction: content.exactOptional(),
  tools: z.array(tool).exactOptional(),
  cachedContent: unread(),
  continuationToken: unread(),
  labels: unread(),
  safetySettings: unread(),
  serviceTier: unread(),
  store: unread(),
  toolConfig: unread(),
} satisfies Partial<FieldNames<GenerateContentConfig>>;

const generationConfig = {
  maxOutputTokens: z.int().min(1).exactOptional(),
  temperature: z.number().min(0).max(2).exactOptional(),
  candidateCount: z.literal(1, 'the scripted model gives one candidate').exactOptional(),
  audioTranscriptionConfig: unread(),
  enableEnhancedCivicAnswers: unread(),
  frequencyPenalty: unread(),
  imageConfig: unread(),
  logprobs: unread(),
  mediaResolution: unread(),
  presencePenalty: unread(),
  responseJsonSchema: unread(),
  responseLogprobs: unread(),
  responseMimeType: unread(),
  responseModalities: unread(),
  responseSchema: unread(),
  seed: unread(),
  speechConfig: unread(),
  stopSequences: unread(),
  thinkingConfig: unread(),
  topK: unread(),
  topP: unread(),
} satisfies FieldNames<Omit<GenerateContentConfig, NotSent | keyof typeof beside>>;

/** The body of `POST /v1beta/models/MODEL:generateContent`, as the API takes it. */
export const geminiBody = z.strictObject({
  contents: z.array(content).min(1, 'contents is not specified'),
  generationConfig: z.strictObject(generationConfig).exactOptional(),
  ...beside,
});

/** A body that was checked. */
export type GeminiBody = z.output<typeof geminiBody>;
/** A part of a message that was checked. */
export type GeminiPart = z.output<typeof part>;
