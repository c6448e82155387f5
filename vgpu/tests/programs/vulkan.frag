#version 450
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 drawn;
layout(binding = 0) uniform sampler2D texels;

void main() {
    drawn = vec4(color.rgb * 0.5 + texture(texels, place).rgb * 0.5, color.a);
}
