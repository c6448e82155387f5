#version 450
layout(location = 0) out vec4 color;
layout(location = 1) out vec2 place;

const vec2 POSITIONS[9] = vec2[](vec2(-0.9, -0.9), vec2(0.4, -0.7), vec2(-0.5, 0.8), vec2(0.9, -0.8), vec2(0.8, 0.9),
                                 vec2(-0.2, 0.6), vec2(-0.7, -0.3), vec2(0.7, -0.1), vec2(0.1, 0.9));

void main() {
    int triangle = gl_VertexIndex / 3, corner = gl_VertexIndex % 3;
    gl_Position = vec4(POSITIONS[gl_VertexIndex], 0.5, 1);
    color = vec4(corner == 0, corner == 1, corner == 2, triangle == 2 ? 0.5 : 1.0);
    place = POSITIONS[gl_VertexIndex] * 0.5 + 0.5;
}
